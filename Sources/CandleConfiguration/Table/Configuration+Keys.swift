import CandleCore

extension Configuration {
  /// Every key, in the order of the reference. Reading, hints, the reference and the example come from this table.
  public static var keys: [KeyDescription] { section.descriptions }

  /// Where a key is known, if it is in another section than where it was found.
  static func place(of name: String) -> String? {
    keys.first { $0.path.hasSuffix("." + name) || $0.path == name }?.path
  }

  static var section: Section<Configuration> {
    Section(
      defaults: Configuration(),
      keys: [
        Key("listen", \.listen, .listen, "Address of HTTP and WebSocket; port 0 takes any free one"),
        Key("database", \.database, .file, "The SQLite file; a relative path starts at the working folder"),
        Key("timeframes", \.timeframes, timeframesForm, "The lengths of candles"),
        Key("settlement", \.settlement, .section(Settlement.section), "When candles settle"),
        Key("clock", \.clock, .section(Clock.section), "Whose clock settles candles"),
        Key("stream", \.stream, .section(Stream.section), "What subscribers get"),
        Key("ingest", \.ingest, .section(Ingest.section), "What producers may send"),
        Key(
          "durability", \.durability, .choice(),
          "What an acknowledged tick survives: kill -9, or loss of power too (fsync)"),
        Key("retention", \.retention, retentionForm, "How long candles are kept; 0, or no entry, keeps all"),
        Key("journal", \.journal, .section(Journal.section), "The journal of accepted ticks"),
        Key("limits", \.limits, .section(Limits.section), "What bounds memory, disk and work"),
        Key("tls", \.tls, .optional(.section(TLS.section)), "Serves https and wss"),
        Key("indicators", \.indicators, .section(Indicators.section), "Values computed with each candle"),
        Key(
          "feeds", \.feeds,
          .list("a list of maps", of: .section(Feed.section), count: 0...1_000),
          "Sources of ticks that the daemon dials"),
      ],
      check: { configuration, view in
        checkRetention(configuration, view)
        checkFeedNames(view)
      })
  }

  private static var timeframesForm: ValueForm<[Timeframe]> {
    ValueForm.list("a list of timeframes", of: .timeframe, count: 1...Timeframe.allCases.count, identity: \.name)
      .map({ $0.sorted() }, from: { $0 })
  }

  /// A map from timeframes to durations; 0 is as good as no entry.
  private static var retentionForm: ValueForm<[Timeframe: Milliseconds]> {
    let duration = ValueForm<Milliseconds>.duration(1_000...36_500 * 86_400_000, zero: "forever")
    let type = "a map from timeframes to durations, as in M1: 90d"
    return ValueForm(
      type: type,
      read: { node, path, report in
        guard case .map(let entries) = node.content else {
          if node.isEmpty { return [:] }
          report.add(node, path, "is no map", expected: type)
          return nil
        }
        var result: [Timeframe: Milliseconds] = [:]
        var lines: [Timeframe: Int] = [:]
        for entry in entries {
          let place = "\(path).\(YAMLText.isName(entry.key) ? entry.key : Node.quoted(entry.key))"
          guard let timeframe = Timeframe(entry.key) else {
            let names = Timeframe.allCases.map(\.name)
            report.add(at: entry.position, place, "is no timeframe", expected: Spelling.alternatives(names))
            continue
          }
          if let first = lines[timeframe] {
            report.add(at: entry.position, place, "is doubled: it is on line \(first) too", expected: nil)
            continue
          }
          lines[timeframe] = entry.position.line
          guard let value = duration.read(entry.value, place, report) else { continue }
          if value != 0 { result[timeframe] = value }
        }
        return result
      },
      write: { retention in
        let pairs = retention.sorted { $0.key < $1.key }.map { "\($0.key.name): \(DurationText.write($0.value))" }
        return pairs.isEmpty ? "{}" : "{ " + pairs.joined(separator: ", ") + " }"
      })
  }

  private static func checkRetention(_ configuration: Configuration, _ view: SectionView) {
    guard !view.report.hasProblem(in: "timeframes"), case .map(let entries)? = view.values["retention"]?.content else {
      return
    }
    for entry in entries {
      guard let timeframe = Timeframe(entry.key) else { continue }
      let path = "retention.\(timeframe.name)"
      guard configuration.timeframes.contains(timeframe) else {
        let names = configuration.timeframes.map(\.name)
        view.report.add(
          at: entry.position, path, "is not configured", expected: "one of timeframes: " + Spelling.alternatives(names))
        continue
      }
      // Candles must not go while they can still be corrected.
      let least = configuration.settlement.correctionWindow + timeframe.interval
      guard let kept = configuration.retention[timeframe], kept < least, !view.report.hasProblem(in: path) else {
        continue
      }
      if view.report.hasProblem(in: "settlement.correction_window") { continue }
      view.report.add(
        entry.value, path, "is shorter than a candle and its correction window",
        expected: "at least \(DurationText.write(least)), or 0")
    }
  }

  private static func checkFeedNames(_ view: SectionView) {
    guard case .list(let feeds)? = view.values["feeds"]?.content else { return }
    var first: [String: Int] = [:]
    for (index, feed) in feeds.enumerated() {
      guard case .map(let entries) = feed.content, let entry = entries.first(where: { $0.key == "name" }) else {
        continue
      }
      guard case .scalar(let name, _) = entry.value.content, Names.isFeedName(name) else { continue }
      if let other = first[name] {
        view.report.add(
          entry.value, "feeds[\(index)].name", "is the name of feeds[\(other)] too", expected: "a name of its own")
      } else {
        first[name] = index
      }
    }
  }
}
