/// What is wrong with bytes of a journal.
public enum JournalFlaw: String, Error, Sendable {
  /// The head of the segment is none, or its checksum does not match.
  case head
  /// A block says it is longer than what is there.
  case length
  /// The checksum of a block does not match.
  case checksum
  /// A block does not continue the sequence.
  case sequence
  /// A record of an unknown kind, or with a value that cannot be.
  case record
  /// The segment says it holds more than what is there.
  case truncated
  /// Records between two segments are not there.
  case missing
}
