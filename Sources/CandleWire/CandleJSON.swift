import CandleCore

/// Names of the indicator values, written once and copied from then on.
public struct IndicatorKeys: Sendable {
  /// `"ma5":`, `,"ma10":` and so on, one after the other.
  private let encoded: ContiguousArray<UInt8>
  /// Where each of them ends.
  private let ends: ContiguousArray<Int>
  /// As in the configuration's order: `ma5`.
  public let names: [String]

  public init(_ keys: [String]) {
    names = keys
    var encoded: ContiguousArray<UInt8> = []
    ends = ContiguousArray(
      keys.enumerated().map { index, key in
        encoded.append(contentsOf: "\(index > 0 ? "," : "")\"\(key)\":".utf8)
        return encoded.count
      })
    self.encoded = encoded
  }

  public var count: Int { names.count }
  public var isEmpty: Bool { names.isEmpty }
  public static let none = IndicatorKeys([])

  /// Writes keys and values, without the braces around them.
  func write(_ values: UnsafeBufferPointer<Double>, to out: ByteWriter) {
    let count = min(values.count, ends.count)
    // Checked once for all: no value takes more.
    out.reserve(encoded.count &+ count &* DoubleText.maximumLength)
    encoded.withUnsafeBytes { encoded in
      guard let keys = encoded.baseAddress else { return }
      var begin = 0
      for index in 0..<count {
        let end = ends[index]
        out.writeReserved(keys + begin, count: end &- begin)
        out.writeReserved(values[index])
        begin = end
      }
    }
  }
}

/// The candle object of stream and HTTP.
public enum CandleJSON {
  /// - Parameters:
  ///   - values: as many as there are keys, NaN where there is no value; nil leaves the key `indicators` out.
  public static func write(
    _ candle: borrowing Candle, symbol: String, timeframe: Timeframe, keys: IndicatorKeys,
    values: UnsafeBufferPointer<Double>?, to out: ByteWriter
  ) {
    out.write("{\"symbol\":\"")
    out.write(symbol)
    out.write("\",\"timeframe\":\"")
    out.write(timeframe.name)
    out.write("\",\"open_time\":")
    out.write(candle.openTime)
    out.write(",\"close_time\":")
    out.write(candle.openTime + timeframe.interval - 1)
    write(candle.content, to: out)
    if let settlement = candle.settlement {
      out.write(settlement.revision == 0 && !settlement.bornLate ? ",\"state\":\"closed\"" : ",\"state\":\"corrected\"")
      out.write(",\"revision\":")
      out.write(Int64(settlement.revision))
      out.write(",\"settled_by\":\"")
      out.write(settlement.settledBy.name)
      out.write("\"")
    } else {
      out.write(",\"state\":\"forming\",\"revision\":null,\"settled_by\":null")
    }
    out.write(",\"origin\":\"")
    out.write(candle.origin.name)
    out.write(candle.complete ? "\",\"complete\":true,\"version\":" : "\",\"complete\":false,\"version\":")
    if let settlement = candle.settlement { out.write(settlement.version) } else { out.write("null") }
    if let values {
      out.write(",\"indicators\":")
      write(values, keys: keys, to: out)
    }
    out.write("}")
  }

  static func write(_ content: CandleContent, to out: ByteWriter) {
    out.write(",\"open\":")
    out.write(content.open)
    out.write(",\"high\":")
    out.write(content.high)
    out.write(",\"low\":")
    out.write(content.low)
    out.write(",\"close\":")
    out.write(content.close)
    out.write(",\"volume\":")
    out.write(content.volume)
    out.write(",\"turnover\":")
    write(content.turnover, to: out)
    out.write(",\"taker_buy_volume\":")
    write(content.takerBuyVolume, to: out)
    out.write(",\"ticks\":")
    if let ticks = content.ticks { out.write(ticks) } else { out.write("null") }
  }

  private static func write(_ sum: FixedSum?, to out: ByteWriter) {
    if let sum { out.write(sum) } else { out.write("null") }
  }

  /// The object of indicator values, `null` where there is none.
  public static func write(_ values: UnsafeBufferPointer<Double>, keys: IndicatorKeys, to out: ByteWriter) {
    out.write("{")
    keys.write(values, to: out)
    out.write("}")
  }
}
