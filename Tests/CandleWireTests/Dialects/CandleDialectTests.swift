import CandleCore
import CandleWire
import Testing

/// A candle of the contract's example that still forms.
var formingCandle: Candle {
  var candle = exampleCandle
  candle.settlement = nil
  return candle
}

/// The message of a candle in a format; nil where there is none.
func message(
  _ format: CandleFormat, _ candle: Candle, _ type: StreamEncoder.MessageType = .closed, _ kind: Topic.Kind = .candle,
  keys: [String] = [], values: [Double]? = nil, lastTick: Milliseconds? = nil
) -> String? {
  let out = ByteWriter(capacity: 64)
  let dialect = CandleDialect(format, keys: IndicatorKeys(keys))
  func write(_ values: UnsafeBufferPointer<Double>?) -> Bool {
    dialect.write(
      CandleMessage(
        type: type, kind: kind, candle: candle, symbol: "BTC/usdt", timeframe: .M1, values: values, lastTick: lastTick,
        time: 1_700_000_099_999), to: out)
  }
  let isWritten = values?.withUnsafeBufferPointer { write($0) } ?? write(nil)
  return isWritten ? out.string : nil
}

/// The history of candles in a format.
func history(
  _ format: CandleFormat, _ candles: [Candle], keys: [String] = [], values: [[Double]?]? = nil, time: Milliseconds = 0
) -> String {
  written { out in
    CandleDialect(format, keys: IndicatorKeys(keys)).writeHistory(
      candles, values ?? candles.map { _ in nil }, time: time, to: out)
  }
}

@Suite struct CandleDialectTests {
  @Test func lightweightChartsHaveSeconds() {
    let bar =
      #"{"time":1700000040,"open":36500.25,"high":36510,"low":36499.5,"close":36505.75,"volume":12.345}"#
    #expect(message(CandleFormat(.lightweight), exampleCandle) == bar)
    #expect(message(CandleFormat(.lightweight), formingCandle, .forming) == bar)
    #expect(history(CandleFormat(.lightweight), [exampleCandle, formingCandle]) == "[\(bar),\(bar)]")
    #expect(history(CandleFormat(.lightweight), []) == "[]")
  }

  @Test func aLineHasTheClose() {
    #expect(message(CandleFormat(.line), exampleCandle) == #"{"time":1700000040,"value":36505.75}"#)
    #expect(history(CandleFormat(.line), [exampleCandle]) == #"[{"time":1700000040,"value":36505.75}]"#)
  }

  @Test func klineChartsHaveMillisecondsAndIndicatorsByKey() {
    let head =
      #"{"timestamp":1700000040000,"open":36500.25,"high":36510,"low":36499.5,"close":36505.75,"volume":12.345,"#
      + #""turnover":450658.31"#
    let format = CandleFormat(.klinecharts)
    #expect(message(format, exampleCandle) == head + "}")
    #expect(
      message(format, exampleCandle, keys: ["ma5", "rsi6"], values: [36_501.1, .nan])
        == head + #","ma5":36501.1,"rsi6":null}"#)
    var candle = exampleCandle
    candle.content.turnover = nil
    #expect(message(format, candle)?.contains(#""turnover":null"#) == true)
  }

  @Test func csvHasALineACandleAndAHeaderInAHistory() {
    let line = "1700000040000,36500.25,36510,36499.5,36505.75,12.345,450658.31,482,,0,tick,ticks,1,90212"
    #expect(message(CandleFormat(.csv), exampleCandle) == line)
    let text = history(CandleFormat(.csv), [exampleCandle, formingCandle])
    #expect(
      text.split(separator: "\n").count == 3 && text.hasPrefix("open_time,open,high,low,close,volume,turnover,ticks,"))
    #expect(text.contains("\n\(line)\n"))
  }

  @Test func theProtocolItselfIsNotWrittenHere() {
    #expect(message(.json, exampleCandle) == nil)
    #expect(message(CandleFormat(.rhlineplot), exampleCandle) == nil)
  }
}
