import CandleCore

extension Configuration.Feed {
  static var section: Section<Self> {
    Section(
      defaults: Self(name: ""),
      keys: [
        Key("name", \.name, .feedName, isRequired: true, "In logs, metrics and the status; unique"),
        Key("preset", \.preset, .optional(.choice()), "A venue whose dialect is known"),
        Key("url", \.url, .optional(.url("wss", "ws")), "The address; with a preset it replaces the venue's own"),
        Key("format", \.format, .choice(), "Without a preset: lines of text, or JSON that the json key describes"),
        Key("symbol", \.symbols, symbolForm, "The symbol of a csv feed, or the only one of another"),
        Key(
          "symbols", \.symbols, symbolsForm, "What is subscribed to, in the venue's spelling or as maps that rename"),
        Key(
          "timestamp", \.timestamp, .timestampUnit,
          "Without a preset: the unit of timestamps; auto goes by their digits"),
        Key("allow_nonpositive_price", \.allowNonpositivePrice, .boolean, "Whether prices may be 0 or negative"),
        Key(
          "contiguous_ids", \.contiguousIds, .boolean,
          "Without a preset: whether trade ids have no holes, so that a hole is a gap"),
        Key(
          "silence", \.silence, .duration(100...86_400_000, zero: "off"),
          "A socket without a message for so long is dialled again"),
        Key(
          "subscribe", \.subscribe, .list("a text or a list of texts", of: .message, count: 0...10_000, takesOne: true),
          "Messages to send after connecting; with a preset behind its own"),
        Key("ca", \.ca, .optional(.file), "A private authority's certificate (PEM)"),
        Key(
          "history", \.history, .optional(.section(History.section)),
          "Where gaps and incomplete candles are filled from"),
        Key("json", \.json, .optional(.section(JSON.section)), "With format json: where a message holds a trade"),
        Key(
          "heartbeat", \.heartbeat, .optional(.section(Heartbeat.section)),
          "With format json: what keeps the connection open"),
      ],
      check: check)
  }

  /// Symbols of a csv feed and a single one are written as `symbol`, the rest as `symbols`.
  private static var symbolForm: ValueForm<[Symbol]> {
    let form = ValueForm<Symbol>.feedSymbol
    return ValueForm(
      type: form.type,
      read: { node, path, report in form.read(node, path, report).map { [$0] } },
      write: { $0.count == 1 ? form.write($0[0]) : nil })
  }

  private static var symbolsForm: ValueForm<[Symbol]> {
    var form = ValueForm.list(
      "a list of symbols, or of maps with venue, name, base and quote", of: ValueForm<Symbol>.feedSymbol,
      count: 1...100_000,
      identity: \.name)
    let write = form.write
    form.write = { $0.count > 1 ? write($0) : nil }
    form.writeLines = nil
    return form
  }
}

extension Configuration.Feed.History {
  static var section: Section<Self> {
    Section(
      defaults: Self(url: ""),
      keys: [
        Key(
          "url", \.url, .url("https", "http"), isRequired: true,
          "The address; symbol, timeframe, from and to are added as a query"),
        Key("format", \.format, .choice(), "What the answer looks like"),
        Key("omits_empty", \.omitsEmpty, .boolean, "Whether a candle that the source leaves out had no ticks"),
        Key("ca", \.ca, .optional(.file), "A private authority's certificate (PEM)"),
      ])
  }
}

extension Configuration.Feed.JSON {
  static var section: Section<Self> {
    Section(
      defaults: Self(time: ["time"], price: ["price"]),
      keys: [
        Key(
          "trades", \.trades, .optional(.fieldPath),
          "The array of trades; none = the message is a trade, or an array of them"),
        Key("symbol", \.symbol, .optional(.fieldPath), "The symbol; none = the feed's only one"),
        Key("time", \.time, .fieldPath, isRequired: true, "The event time"),
        Key("price", \.price, .fieldPath, isRequired: true, "The price"),
        Key("volume", \.volume, .optional(.fieldPath), "The volume; none = 0"),
        Key("id", \.id, .optional(.fieldPath), "The trade id"),
        Key("side", \.side, .optional(.fieldPath), "The side"),
        Key("buy", \.buy, .comparedText, "The value of side that says that the taker bought"),
      ],
      check: { _, view in
        if !view.has("side") { view.refuse("buy", "means nothing without side", expected: "side") }
      })
  }
}

extension Configuration.Feed.Heartbeat {
  static var section: Section<Self> {
    Section(
      defaults: Self(every: 0, send: ""),
      keys: [
        Key("every", \.every, .duration(100...86_400_000), isRequired: true, "Time between two of them"),
        Key("send", \.send, .message, isRequired: true, "The message"),
      ])
  }
}

extension ValueForm where Value == Configuration.Feed.Symbol {
  /// A text, or a map that renames.
  static var feedSymbol: ValueForm {
    typealias Symbol = Configuration.Feed.Symbol
    let text = ValueForm<String>.symbol
    let section = Section<Symbol>(
      defaults: Symbol(venue: ""),
      keys: [
        Key("venue", \.venue, .venueSymbol, isRequired: true, "In the venue's spelling"),
        Key("name", \.name, .symbol, "Of the series; the venue's spelling if it is left out"),
        Key("base", \.base, .optional(.symbol), "The asset that is priced"),
        Key("quote", \.quote, .optional(.symbol), "The asset that it is priced in"),
      ])
    let map = ValueForm<Symbol>.section(section)
    return ValueForm(
      type: "symbol, or a map with venue, name, base and quote",
      read: { node, path, report in
        guard case .map(let entries) = node.content else {
          return text.read(node, path, report).map { Symbol(venue: $0) }
        }
        guard var symbol = map.read(node, path, report) else { return nil }
        if !entries.contains(where: { $0.key == "name" }) {
          symbol.name = symbol.venue
          if !symbol.venue.isEmpty, !Names.isSymbol(symbol.name) {
            report.add(
              at: node.position, "\(path).name", "is missing", expected: "a name, as the venue's spelling cannot be one"
            )
          }
        }
        return symbol
      },
      write: { symbol in
        let isText = symbol == Symbol(venue: symbol.venue) && Names.isSymbol(symbol.venue)
        return isText ? text.write(symbol.venue) : map.write(symbol)
      },
      keys: map.keys)
  }
}
