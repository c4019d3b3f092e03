import Glibc

/// What libFuzzer calls with each input; `CANDLED_FUZZ_TARGET` names the parser that gets it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  chosen(UnsafeRawBufferPointer(start: start, count: count))
  return 0
}

private let chosen: @Sendable (UnsafeRawBufferPointer) -> Void = {
  let name = getenv("CANDLED_FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = targets[name] else {
    fatalError("CANDLED_FUZZ_TARGET is none of \(targets.keys.sorted().joined(separator: " "))")
  }
  return target
}()

private let targets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
  "binance-requests": fuzzBinanceRequests, "configuration": fuzzConfiguration, "history": fuzzHistory,
  "history-files": fuzzHistoryFiles, "journal": fuzzJournal, "journal-records": fuzzJournalRecords, "json": fuzzJSON,
  "json-feeds": fuzzJSONFeeds, "query": fuzzQuery, "stream": fuzzStream, "ticks": fuzzTicks, "venues": fuzzVenues,
]

/// Holds what a parser promises; a broken promise is a crash, which libFuzzer keeps the input of.
@inline(__always)
func promise(_ holds: @autoclosure () -> Bool, _ what: @autoclosure () -> String) {
  if !holds() { fatalError(what()) }
}

/// The first byte chooses among variants, the rest is the text.
func split(_ input: UnsafeRawBufferPointer) -> (choice: Int, text: UnsafeRawBufferPointer) {
  guard let first = input.first else { return (0, input) }
  return (Int(first), UnsafeRawBufferPointer(rebasing: input.dropFirst()))
}
