/// Why a body or file as a whole is none of its format. Nothing of it was taken.
public enum HistoryError: Error, Sendable, Equatable {
  /// No bytes but spaces.
  case empty
  /// It ends in the middle.
  case cut
  /// Text that is no JSON, found at this byte.
  case notJSON(at: Int)
  /// Something else: another JSON document, HTML, prose. Its start, cut at 200 bytes.
  case otherDocument(start: String)
  /// The source answered with its error object; the code and message of it.
  case sourceError(String)
  /// The answer says that it is of another symbol or timeframe, which is named here.
  case otherSeries(String)
  /// The header line lacks this column.
  case noColumn(String)

  /// A fixed word for metrics.
  public var shortForm: String {
    switch self {
    case .empty: "empty"
    case .cut: "cut"
    case .notJSON: "not_json"
    case .otherDocument: "other_document"
    case .sourceError: "source_error"
    case .otherSeries: "other_series"
    case .noColumn: "no_column"
    }
  }
}

extension HistoryError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .empty: "it is empty"
    case .cut: "it ends in the middle"
    case .notJSON(let at): "it is no JSON from byte \(at) on"
    case .otherDocument(let start): "it is something else: \(start)"
    case .sourceError(let text): "the source answered with an error: \(text)"
    case .otherSeries(let name): "it is of another series: \(name)"
    case .noColumn(let name): "its header line has no column \(name)"
    }
  }
}
