import CandleCore

/// An element of `modelArray` of react-native-kline-view.
///
/// The chart turns a missing value into 0 and reads its lists by position, so each element is whole: what is not known
/// has a placeholder that leaves the axis where it is. Source: the `packModel` of its iOS and Android parts.
struct KlineView {
  private struct Item {
    /// `{"title":"MA5","index":0,"selected":true,"value":`
    var head: [UInt8]
    var at: Int
  }

  private enum Placeholder {
    case close, volume
    case number(StaticString)
  }

  private let ma: [Item]
  private let volumeMA: [Item]
  private let rsi: [Item]
  private let wr: [Item]
  /// Members with a single value, their key, position and placeholder.
  private let singles: [(key: StaticString, at: Int?, placeholder: Placeholder)]
  private var clock: ZoneClock

  init(keys: IndicatorKeys, zone: ZoneRule, titlesArePeriods: Bool) {
    let names = keys.names
    func list(_ prefix: String, _ title: String) -> [Item] {
      var items: [Item] = []
      for (at, name) in names.enumerated() where name.hasPrefix(prefix) {
        let period = name.dropFirst(prefix.count)
        guard !period.isEmpty, period.utf8.allSatisfy({ (48...57).contains($0) }) else { continue }
        let text = titlesArePeriods ? String(period) : title + period
        items.append(
          Item(
            head: Array("{\"title\":\"\(text)\",\"index\":\(items.count),\"selected\":true,\"value\":".utf8), at: at))
      }
      return items
    }
    ma = list("ma", "MA")
    volumeMA = list("mavol", "MA")
    rsi = list("rsi", "RSI")
    wr = list("wr", "WR")
    func at(_ name: String) -> Int? { names.firstIndex(of: name) }
    singles = [
      (",\"bollMb\":", at("boll_mb"), .close), (",\"bollUp\":", at("boll_up"), .close),
      (",\"bollDn\":", at("boll_dn"), .close), (",\"macdValue\":", at("macd_hist"), .number("0")),
      (",\"macdDif\":", at("macd_dif"), .number("0")), (",\"macdDea\":", at("macd_dea"), .number("0")),
      (",\"kdjK\":", at("kdj_k"), .number("50")), (",\"kdjD\":", at("kdj_d"), .number("50")),
      (",\"kdjJ\":", at("kdj_j"), .number("50")),
    ]
    clock = ZoneClock(zone)
  }

  mutating func write(_ candle: Candle, _ values: UnsafeBufferPointer<Double>?, to out: ByteWriter) {
    let seconds = candle.openTime.quotient(by: 1_000)
    out.write("{\"id\":")
    out.write(seconds)
    out.write(",\"dateString\":\"")
    clock.write(seconds, to: out)
    out.write("\"")
    Lightweight.writePrices(candle.content, to: out)
    out.write(",\"vol\":")
    out.write(candle.content.volume)
    write(",\"maList\":[", ma, .close, candle.content, values, to: out)
    write(",\"maVolumeList\":[", volumeMA, .volume, candle.content, values, to: out)
    for single in singles {
      out.write(single.key)
      write(single.at, single.placeholder, candle.content, values, to: out)
    }
    write(",\"rsiList\":[", rsi, .number("50"), candle.content, values, to: out)
    write(",\"wrList\":[", wr, .number("-50"), candle.content, values, to: out)
    writePanel(candle.content, seconds, to: out)
    out.write("}")
  }

  private func write(
    _ key: StaticString, _ items: [Item], _ placeholder: Placeholder, _ content: CandleContent,
    _ values: UnsafeBufferPointer<Double>?, to out: ByteWriter
  ) {
    out.write(key)
    for (index, item) in items.enumerated() {
      if index > 0 { out.write(",") }
      out.write(item.head)
      write(item.at, placeholder, content, values, to: out)
      out.write("}")
    }
    out.write("]")
  }

  private func write(
    _ at: Int?, _ placeholder: Placeholder, _ content: CandleContent, _ values: UnsafeBufferPointer<Double>?,
    to out: ByteWriter
  ) {
    if let at, let values, at < values.count, values[at].isFinite { return out.write(values[at]) }
    switch placeholder {
    case .close: out.write(content.close)
    case .volume: out.write(content.volume)
    case .number(let text): out.write(text)
    }
  }

  /// What the panel beside a touched candle says.
  private mutating func writePanel(_ content: CandleContent, _ seconds: Int64, to out: ByteWriter) {
    out.write(",\"selectedItemList\":[{\"title\":\"Time\",\"detail\":\"")
    clock.write(seconds, to: out)
    let prices: [(StaticString, Fixed)] = [
      ("Open", content.open), ("High", content.high), ("Low", content.low), ("Close", content.close),
    ]
    for (title, price) in prices {
      out.write("\"},{\"title\":\"")
      out.write(title)
      out.write("\",\"detail\":\"")
      out.write(price)
    }
    var change = FixedSum(content.close)
    let isKnown = change.add(FixedSum(coefficient: -Int128(content.open.coefficient), scale: content.open.scale))
    out.write("\"},{\"title\":\"Change\",\"detail\":\"")
    if isKnown { Self.writeSigned(change, to: out) } else { out.write("--") }
    out.write("\"},{\"title\":\"Change %\",\"detail\":\"")
    let percent = (Double(change) / Double(content.open) * 10_000).rounded()
    if isKnown, !content.open.isZero, percent.magnitude < 1e15 {
      Self.writeSigned(FixedSum(coefficient: Int128(percent), scale: 2), to: out)
      out.write("%")
    } else {
      out.write("--")
    }
    out.write("\"},{\"title\":\"Volume\",\"detail\":\"")
    out.write(content.volume)
    out.write("\"}]")
  }

  private static func writeSigned(_ value: FixedSum, to out: ByteWriter) {
    if value.coefficient > 0 { out.write("+") }
    out.write(value)
  }
}
