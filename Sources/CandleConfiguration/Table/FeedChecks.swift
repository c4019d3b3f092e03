extension Configuration.Feed {
  /// What the keys of a feed say together.
  static func check(_ feed: Self, _ view: SectionView) {
    if view.has("symbol"), view.has("symbols") {
      view.refuse("symbols", "stands beside symbol", expected: "one of the two")
    }
    if view.has("preset") {
      checkPreset(view)
    } else {
      if !view.has("url") { view.reportMissing("url", expected: "a ws:// or wss:// address, or a preset") }
      guard !view.report.hasProblem(in: view.path(of: "format")) else { return }
      switch feed.format {
      case .csv: checkCSV(view)
      case .json: checkJSON(feed, view)
      }
    }
    checkVenueSymbols(feed, view)
  }

  private static func checkPreset(_ view: SectionView) {
    for key in ["format", "json", "heartbeat", "timestamp", "contiguous_ids"] {
      view.refuse(key, "stands beside a preset, which knows it", expected: "one of the two")
    }
    if !view.has("symbol"), !view.has("symbols") {
      view.reportMissing("symbols", expected: "the symbols to subscribe to")
    }
  }

  private static func checkCSV(_ view: SectionView) {
    if view.has("symbols") {
      if !view.has("symbol") {
        view.refuse("symbols", "is not for format csv", expected: "symbol: a feed of this format has one")
      }
    } else if !view.has("symbol") {
      view.reportMissing("symbol", expected: "the symbol of the ticks: format csv does not name it")
    }
    for key in ["json", "heartbeat"] {
      view.refuse(key, "means nothing with format: csv", expected: "format: json")
    }
  }

  private static func checkJSON(_ feed: Self, _ view: SectionView) {
    guard view.has("json") else {
      view.reportMissing("json", expected: "a map that says where a message holds time and price")
      return
    }
    guard !view.report.hasProblem(in: view.path(of: "json")), let json = feed.json, json.symbol == nil else { return }
    if view.has("symbol") { return }
    guard view.has("symbols") else {
      view.reportMissing("symbol", expected: "the symbol of the ticks, or json.symbol: where a message names it")
      return
    }
    if feed.symbols.count > 1, let node = view.values["json"] {
      view.report.add(
        at: node.position, view.path(of: "json") + ".symbol", "is missing",
        expected: "where a message names one of the symbols")
    }
  }

  /// Two series cannot come from one symbol of the venue.
  private static func checkVenueSymbols(_ feed: Self, _ view: SectionView) {
    guard case .list(let nodes)? = view.values["symbols"]?.content, nodes.count == feed.symbols.count else { return }
    var first: [String: Int] = [:]
    for (index, symbol) in feed.symbols.enumerated() {
      guard let other = first.updateValue(index, forKey: symbol.venue) else { continue }
      let place = "\(view.path(of: "symbols"))[\(index)]"
      // A doubled name has been reported with the list itself.
      guard feed.symbols[other].name != symbol.name else { continue }
      view.report.add(
        at: nodes[index].position, place + ".venue", "is doubled: it is symbols[\(other)] too", expected: nil)
    }
  }
}
