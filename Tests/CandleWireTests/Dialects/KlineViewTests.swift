import CandleCore
import CandleWire
import Testing

@Suite struct KlineViewTests {
  private static let keys = [
    "ma5", "ma10", "ema12", "mavol5", "boll_mb", "boll_up", "boll_dn", "macd_dif", "macd_dea", "macd_hist", "kdj_k",
    "kdj_d", "kdj_j", "rsi6", "rsi12", "wr10",
  ]
  private let warm = (1...16).map { Double($0) + 0.5 }

  private func element(
    _ values: [Double]?, keys: [String] = keys, format: CandleFormat = CandleFormat(.klineview),
    candle: Candle = exampleCandle
  ) -> JSONValue {
    JSONValue(parsing: message(format, candle, keys: keys, values: values)!)!
  }

  private func list(_ element: JSONValue, _ key: String) -> [String] {
    element[key]!.array!.map { item in
      let out = ByteWriter(capacity: 64)
      item["value"]!.write(to: out)
      return "\(item["title"]!.string!) \(item["index"]!.integer!) \(out.string)"
    }
  }

  private func number(_ element: JSONValue, _ key: String) -> String? {
    if case .number(let text)? = element[key] { text } else { nil }
  }

  @Test func theMembersComeInTheOrderOfTheChart() {
    guard case .object(let members) = element(warm) else { return }
    #expect(
      members.map(\.key) == [
        "id", "dateString", "open", "high", "low", "close", "vol", "maList", "maVolumeList", "bollMb", "bollUp",
        "bollDn",
        "macdValue", "macdDif", "macdDea", "kdjK", "kdjD", "kdjJ", "rsiList", "wrList", "selectedItemList",
      ])
  }

  @Test func warmValuesAreInTheirPlaces() {
    let element = element(warm)
    #expect(element["id"]?.integer == 1_700_000_040 && element["dateString"]?.string == "11-14 22:14")
    #expect(number(element, "vol") == "12.345" && number(element, "close") == "36505.75")
    #expect(list(element, "maList") == ["MA5 0 1.5", "MA10 1 2.5"], "EMA and volume MA are no MA")
    #expect(list(element, "maVolumeList") == ["MA5 0 4.5"])
    #expect(["bollMb", "bollUp", "bollDn"].map { number(element, $0) } == ["5.5", "6.5", "7.5"])
    #expect(["macdDif", "macdDea", "macdValue"].map { number(element, $0) } == ["8.5", "9.5", "10.5"])
    #expect(["kdjK", "kdjD", "kdjJ"].map { number(element, $0) } == ["11.5", "12.5", "13.5"])
    #expect(list(element, "rsiList") == ["RSI6 0 14.5", "RSI12 1 15.5"] && list(element, "wrList") == ["WR10 0 16.5"])
  }

  @Test(arguments: [true, false])
  func whatIsNotWarmHasAPlaceholder(hasValues: Bool) {
    let element = element(hasValues ? Array(repeating: .nan, count: 16) : nil)
    #expect(list(element, "maList") == ["MA5 0 36505.75", "MA10 1 36505.75"])
    #expect(list(element, "maVolumeList") == ["MA5 0 12.345"])
    #expect(["bollMb", "bollUp", "bollDn"].map { number(element, $0) } == Array(repeating: "36505.75", count: 3))
    #expect(["macdDif", "macdDea", "macdValue"].map { number(element, $0) } == ["0", "0", "0"])
    #expect(["kdjK", "kdjD", "kdjJ"].map { number(element, $0) } == ["50", "50", "50"])
    #expect(list(element, "rsiList") == ["RSI6 0 50", "RSI12 1 50"] && list(element, "wrList") == ["WR10 0 -50"])
  }

  @Test func indicatorsThatAreNotConfiguredHavePlaceholdersToo() {
    let element = element([], keys: [])
    #expect(number(element, "bollMb") == "36505.75" && number(element, "kdjJ") == "50")
    #expect(element["maList"]?.array?.isEmpty == true)
  }

  @Test func titlesCanBePeriods() {
    var format = CandleFormat(.klineview)
    format.titlesArePeriods = true
    #expect(list(element(warm, format: format), "maList") == ["5 0 1.5", "10 1 2.5"])
    #expect(list(element(warm, format: format), "wrList") == ["10 0 16.5"])
  }

  @Test func timesAreThoseOfTheZone() {
    var format = CandleFormat(.klineview)
    format.zone = ZoneRule(fixed: "+08:00")!
    let element = element(warm, format: format)
    #expect(element["dateString"]?.string == "11-15 06:14" && element["id"]?.integer == 1_700_000_040)
    #expect(element["selectedItemList"]?.array?.first?["detail"]?.string == "11-15 06:14")
  }

  private func panel(_ candle: Candle) -> [String] {
    element(nil, candle: candle)["selectedItemList"]!.array!.map { "\($0["title"]!.string!): \($0["detail"]!.string!)" }
  }

  @Test func thePanelSaysWhatChanged() {
    #expect(
      panel(exampleCandle) == [
        "Time: 11-14 22:14", "Open: 36500.25", "High: 36510", "Low: 36499.5", "Close: 36505.75", "Change: +5.5",
        "Change %: +0.02%", "Volume: 12.345",
      ])
    var candle = exampleCandle
    candle.content.close = "36135.2475"
    #expect(panel(candle)[5...6] == ["Change: -365.0025", "Change %: -1%"])
    candle.content.open = "0"
    #expect(panel(candle)[6] == "Change %: --")
  }
}
