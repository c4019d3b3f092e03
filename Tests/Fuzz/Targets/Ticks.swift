import CandleCore
import CandleFeeds

/// The text format: every line is a tick or refused, and where both stand is within the frame.
func fuzzTicks(_ input: UnsafeRawBufferPointer) {
  let (choice, frame) = split(input)
  let units: [TimestampUnit] = [.auto, .seconds, .milliseconds, .microseconds, .nanoseconds]
  let format = TextFormat(
    timestamp: units[choice % units.count], allowsNonpositivePrice: choice & 64 != 0,
    symbolColumn: choice & 128 != 0 ? .first : .none(7))
  var interner = SymbolInterner()
  var batch = TickBatch()
  format.parse(frame, into: &batch) { name in
    promise(SymbolName.isValid(name), "a symbol that is none was taken")
    if let number = interner.number(of: name) { return .success(number) }
    let number = Int32(truncatingIfNeeded: name.count)
    interner.insert(name, number: number)
    promise(interner.number(of: name) == number, "a symbol is not found again")
    return .success(number)
  }
  check(batch, in: frame, allowsNonpositivePrice: choice & 64 != 0)
  let newlines = frame.count { $0 == 10 }
  promise(batch.ticks.count + batch.refused.count <= newlines + 1, "more ticks than lines")
}

func check(_ batch: TickBatch, in frame: UnsafeRawBufferPointer, allowsNonpositivePrice: Bool) {
  promise(batch.ticks.count == batch.ranges.count && batch.ticks.count == batch.lines.count, "lists of other lengths")
  for range in batch.ranges { promise(range.upperBound <= frame.count, "a tick outside its frame") }
  for line in batch.refused { promise(line.range.upperBound <= frame.count, "a refused line outside its frame") }
  for tick in batch.ticks {
    promise(tick.price.scale <= Fixed.maximumScale && tick.volume.scale <= Fixed.maximumScale, "a scale out of range")
    promise(tick.volume.coefficient >= 0, "a negative volume")
    promise(allowsNonpositivePrice || tick.price.coefficient > 0, "a price that is not positive")
  }
}
