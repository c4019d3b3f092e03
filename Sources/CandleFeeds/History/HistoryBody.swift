import CandleCore
import CandleWire

/// Reads answers of history sources and files of candles.
///
/// A bad row is refused and counted and never hurts the good ones beside it; a text that as a whole is no such document
/// (cut, HTML, other JSON) is an error, and nothing of it is taken. Rows may come in any order.
public enum HistoryBody {
  /// Reads the body of an HTTP answer.
  /// - Parameters:
  ///   - asked: open times in Unix milliseconds, the end exclusive. Other rows are ignored, whatever they hold.
  ///   - symbol: what was asked for, in the source's spelling; rows that name another are ignored. nil = not looked at.
  public static func parse(
    _ bytes: UnsafeRawBufferPointer, format: HistoryFormat, timeframe: Timeframe, asked: Range<Milliseconds>,
    symbol: String? = nil
  ) -> Result<HistoryAnswer, HistoryError> {
    read(bytes, timeframe, asked, symbol) { text, reader throws(HistoryError) in
      switch format {
      case .zxkline: try texts(text, into: &reader)
      case .binance: try arrays(text, into: &reader)
      case .binanceCOINM: try arrays(text, columns: HistoryColumn.binanceCOINM, into: &reader)
      case .candled: try answer(text, into: &reader)
      case .bybit: try bybit(text, into: &reader)
      case .okx: try okx(text, into: &reader)
      case .kraken: try kraken(text, into: &reader)
      case .coinbase: try coinbase(text, into: &reader)
      case .bitstamp: try bitstamp(text, into: &reader)
      case .hitbtc: try objects(text, into: &reader)
      }
    }
  }

  /// Reads a whole file. Parameters as above; a file may be read in parts by asking for one range after the other.
  public static func parse(
    file bytes: UnsafeRawBufferPointer, format: HistoryFileFormat, timeframe: Timeframe, asked: Range<Milliseconds>,
    symbol: String? = nil
  ) -> Result<HistoryAnswer, HistoryError> {
    read(bytes, timeframe, asked, symbol) { text, reader throws(HistoryError) in
      let first = text.trimmed.first
      let isArray = first == UInt8(ascii: "[")
      switch format {
      case .csv: try table(text, into: &reader)
      case .zxkline where isArray: try texts(text, into: &reader)
      case .zxkline:
        reader.unit = .seconds
        try lines(text, columns: HistoryColumn.zxkline, needed: 6, into: &reader)
      case .binance where isArray || first == UInt8(ascii: "{"): try arrays(text, into: &reader)
      case .binance: try archive(text, into: &reader)
      case .json where isArray: try objects(text, into: &reader)
      case .json: try objectLines(text, into: &reader)
      }
    }
  }

  private static func read(
    _ bytes: UnsafeRawBufferPointer, _ timeframe: Timeframe, _ asked: Range<Milliseconds>, _ symbol: String?,
    _ body: (UnsafeRawBufferPointer, inout HistoryReader) throws(HistoryError) -> Void
  ) -> Result<HistoryAnswer, HistoryError> {
    // Some editors begin a file with a byte order mark.
    let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? UnsafeRawBufferPointer(rebasing: bytes[3...]) : bytes
    guard text.contains(where: { !$0.isSpace }) else { return .failure(.empty) }
    var reader = HistoryReader(timeframe: timeframe, asked: asked, symbol: symbol, unit: .milliseconds)
    do throws(HistoryError) {
      try body(text, &reader)
    } catch {
      return .failure(error)
    }
    return .success(reader.finish())
  }

  /// What a text is that is not what it should be.
  static func other(_ text: UnsafeRawBufferPointer) -> HistoryError {
    sourceError(text) ?? .otherDocument(start: HistoryRefusal.oneLine(text.trimmed))
  }

  /// The error objects of candled and HitBTC `{"error":{"code":…,"message":…}}`, of Binance and OKX
  /// `{"code":…,"msg":…}`, of Bybit `{"retCode":…,"retMsg":…}`, of Kraken `{"error":[…]}`; nil if it is none.
  private static func sourceError(_ text: UnsafeRawBufferPointer) -> HistoryError? {
    // Error answers are small.
    guard text.count <= 16_384, let document = JSONValue(parsing: text) else { return nil }
    let error = document["error"] ?? document
    let words = ["code", "retCode", "message", "msg", "retMsg"].compactMap { key -> String? in
      switch error[key] {
      case .string(let word), .number(let word): word
      default: nil
      }
    }
    let texts = document["error"]?.string.map { [$0] } ?? document["error"]?.array?.compactMap(\.string) ?? []
    var line = (words.isEmpty ? texts : words).joined(separator: " ")
    guard !line.isEmpty else { return nil }
    return .sourceError(line.withUTF8 { HistoryRefusal.oneLine(UnsafeRawBufferPointer($0)) })
  }
}
