import CandleCore
import CandleEngine
import CandleFeeds
import CandleNet
import CandleWire

/// A connection that sends ticks.
final class Producer {
  let connection: ConnectionID
  let source: SourceID
  let format: TextFormat
  /// Whether each frame is answered.
  let acknowledges: Bool
  var frames: Int64 = 0
  /// Symbols it has sent.
  var symbols: Set<Int32> = []
  var lastSymbol: Int32 = -1
  /// Answers that wait to be sent.
  var queue = ReaderQueue()
  /// Nothing is read while it does not read its answers.
  var isPaused = false
  /// Answers of this turn, sent once its ticks are safe.
  var answers: [Frame] = []

  init(_ connection: ConnectionID, format: TextFormat, acknowledges: Bool) {
    self.connection = connection
    // Feeds are numbered from 0, connections have numbers of their own.
    source = SourceID(1 << 63 | connection.raw)
    self.format = format
    self.acknowledges = acknowledges
  }
}
