import CandleCore
import CandleFeeds
import Testing

@Suite struct JSONTradeDecoderTests {
  private func read(
    _ paths: JSONTradePaths, _ message: String, symbols: JSONTradeDecoder.Symbols = .only(0),
    unit: TimestampUnit = .auto, known: [String] = []
  ) -> Decoded {
    let decoder = JSONTradeDecoder(paths, symbols: symbols, timestamp: unit)
    var batch = TickBatch()
    let event = Array(message.utf8).withUnsafeBytes { bytes in
      decoder.decode(bytes, into: &batch) { name in
        known.firstIndex(of: String(decoding: name, as: UTF8.self)).map { .success(Int32($0)) }
          ?? .failure(.unknownSymbol)
      }
    }
    return Decoded(event: event, batch: batch)
  }

  private func listed(_ names: String...) -> JSONTradeDecoder.Symbols {
    var interner = SymbolInterner()
    for (index, name) in names.enumerated() {
      var copy = name
      copy.withUTF8 { interner.insert(UnsafeRawBufferPointer($0), number: Int32(index)) }
    }
    return .listed(interner)
  }

  private var huobi: JSONTradePaths {
    var paths = JSONTradePaths(time: ["ts"], price: ["price"])
    paths.trades = ["tick", "data"]
    paths.symbol = ["ch"]
    paths.volume = ["amount"]
    paths.id = ["tradeId"]
    paths.side = ["direction"]
    return paths
  }

  @Test func tradesInsideAMessageWithNumbersAndASymbolAtTheTop() {
    let decoded = read(
      huobi,
      #"{"ch":"market.btcusdt.trade.detail","ts":1,"tick":{"id":2,"data":[{"ts":1616243199156,"tradeId":102357140867,"amount":1.98E-4,"price":58911.070,"direction":"sell"},{"ts":1616243199157,"tradeId":102357140868,"amount":1,"price":58911,"direction":"buy"}]}}"#,
      symbols: listed("market.btcusdt.trade.detail"))
    #expect(decoded.event == .trades && decoded.refused == [])
    #expect(
      decoded.lines == [
        "0 1616243199156000000 58911.07 0.000198 102357140867 sell", "0 1616243199157000000 58911 1 102357140868 buy",
      ])
  }

  @Test func aMessageThatIsATradeOrAnArrayOfThem() {
    let paths = JSONTradePaths(time: ["t"], price: ["p"])
    #expect(read(paths, #"{"t":"1700000040","p":"1.50"}"#).lines == ["0 1700000040000000000 1.5 0 none unknown"])
    #expect(read(paths, #"[{"t":1700000040123,"p":1},{"t":1700000041,"p":2}]"#).batch.ticks.count == 2)
  }

  @Test func fieldsThatAreToldByTheirPlaces() {
    var paths = JSONTradePaths(time: ["2", "1"], price: ["2", "3"])
    paths.volume = ["2", "2"]
    paths.id = ["2", "0"]
    paths.symbol = ["0"]
    let message = #"[17470,"tu",[637771130,1615232733897,0.11546588,51350]]"#
    #expect(
      read(paths, message, symbols: listed("17470")).lines == [
        "0 1615232733897000000 51350 0.11546588 637771130 unknown"
      ])
    // A heartbeat of the same venue.
    #expect(read(paths, #"[17470,"hb"]"#, symbols: listed("17470")).event == .ignored)
  }

  @Test func momentsAsTextAreReadToo() {
    let paths = JSONTradePaths(time: ["at"], price: ["p"])
    #expect(
      read(paths, #"{"at":"2021-04-17T16:43:30.244075Z","p":"1"}"#).lines == ["0 1618677810244075000 1 0 none unknown"])
  }

  @Test func theUnitOfTheFeedIsWhatTimesAreReadIn() {
    let paths = JSONTradePaths(time: ["t"], price: ["p"])
    #expect(
      read(paths, #"{"t":1700000040,"p":1}"#, unit: .milliseconds).batch.ticks[0].time.milliseconds == 1_700_000_040)
  }

  @Test func aSideIsComparedAsTextWhateverItIs() {
    for (value, buy, side) in [
      ("\"B\"", "B", TakerSide.buy), ("1", "1", .buy), ("true", "true", .buy), ("false", "true", .sell),
      ("null", "buy", .unknown), ("\"sell\"", "buy", .sell),
    ] {
      var paths = JSONTradePaths(time: ["t"], price: ["p"])
      paths.side = ["s"]
      paths.buy = buy
      #expect(read(paths, #"{"t":1700000040,"p":1,"s":\#(value)}"#).batch.ticks[0].takerSide == side, "\(value)")
    }
  }

  @Test func everySymbolIsTakenWhereNoneIsListed() {
    var paths = JSONTradePaths(time: ["t"], price: ["p"])
    paths.symbol = ["s"]
    let message =
      #"[{"t":1700000040,"p":1,"s":"B"},{"t":1700000040,"p":1,"s":"new"},{"t":1700000040,"p":1,"s":"no symbol"},{"t":1700000040,"p":"x","s":"A"}]"#
    let decoded = read(paths, message, symbols: .every, known: ["A", "B"])
    #expect(decoded.lines == ["1 1700000040000000000 1 0 none unknown"])
    #expect(decoded.refused == [.unknownSymbol, .malformed, .badPrice])
  }

  @Test func aSymbolThatIsNotListedIsRefused() {
    let message =
      #"{"ch":"other","tick":{"data":[{"ts":1616243199156,"price":1}]}}"#
    #expect(read(huobi, message, symbols: listed("market.btcusdt.trade.detail")).refused == [.unknownSymbol])
  }

  @Test(arguments: [
    (#"{"subscribed":"ok"}"#, VenueEvent.ignored), (#"{"tick":{"data":{}}}"#, .ignored),
    (#"{"tick":{"data":null}}"#, .ignored),
    (#"{"tick":{"data":[]}}"#, .ignored), (#"{"tick":{"data":[1]}}"#, .ignored),
    (#"{"tick":{"data":[{"price":1},{}]}}"#, .trades), ("1", .ignored), ("{", .malformed),
    ("", .malformed),
  ])
  func otherMessagesAreIgnoredAndBadTradesRefused(message: String, event: VenueEvent) {
    let decoded = read(huobi, message, symbols: listed("x"))
    #expect(decoded.event == event && decoded.batch.ticks.isEmpty)
    #expect(decoded.refused == (event == .ignored ? [] : event == .trades ? [.malformed, .malformed] : [.malformed]))
  }

  @Test func everyPrefixOfAMessageIsRefusedWhole() {
    let message = Array(#"{"ch":"x","tick":{"data":[{"ts":1616243199156,"price":1,"amount":2}]}}"#.utf8)
    for count in 0..<message.count {
      let decoded = read(huobi, String(decoding: message[..<count], as: UTF8.self), symbols: listed("x"))
      #expect(decoded.batch.ticks.isEmpty && decoded.refused == [.malformed])
    }
  }
}
