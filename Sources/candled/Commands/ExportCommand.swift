import CandleConfiguration
import CandleCore
import CandleStore
import CandleWire
import Foundation

/// Writes stored candles to the standard output.
enum ExportCommand {
  /// Bytes that are gathered before they are written.
  private static let chunk = 64 << 10

  static func run(_ invocation: Invocation) -> ExitCode {
    let symbol = invocation.text("symbol") ?? ""
    guard let timeframe = invocation.text("timeframe").flatMap({ Timeframe($0) }) else { return .usage }
    let isCSV = invocation.text("format") != "json"
    let out = ByteWriter(capacity: 2 * chunk)
    do {
      let archive = try CandleArchive.open(path: invocation.text("db") ?? "candles.db")
      let exists = try archive.read { reader throws(StoreError) in
        guard try reader.exists(symbol: symbol, timeframe: timeframe) else { return false }
        if isCSV { out.write(CandleCSV.header) } else { out.write("[") }
        var isFirst = true
        try reader.forEachCandle(
          symbol: symbol, timeframe: timeframe, from: invocation.time("from") ?? .min, to: invocation.time("to") ?? .max
        ) { candle, _ in
          if isCSV {
            CandleCSV.write(candle, to: out)
          } else {
            if !isFirst { out.write(",\n") }
            CandleJSON.write(candle, symbol: symbol, timeframe: timeframe, keys: .none, values: nil, to: out)
          }
          isFirst = false
          if out.count >= chunk { flush(out) }
          return true
        }
        if !isCSV { out.write("]\n") }
        return true
      }
      guard exists else {
        Console.error("candled export: the database has no candles of \(symbol) \(timeframe.name)")
        return .badInput
      }
      flush(out)
      return .ok
    } catch {
      Console.error("candled export: \(error)")
      return .io
    }
  }

  private static func flush(_ out: ByteWriter) {
    FileHandle.standardOutput.write(Data(out.bytes))
    out.clear()
  }
}
