import CandleCore
import CandleFeeds

private let decoders: [VenueDecoder] = Venue.allCases.map { venue in
  VenueDecoder(venue, symbols: [("BTCUSDT", 1), ("BTC-USD", 2), ("BTC/USD", 3), ("btcusd", 4), ("ETHBTC", 5)])
}

/// Messages of the exchanges.
func fuzzVenues(_ input: UnsafeRawBufferPointer) {
  let (choice, frame) = split(input)
  var batch = TickBatch()
  let event = decoders[choice % decoders.count].decode(frame, into: &batch)
  check(batch, in: frame, allowsNonpositivePrice: false)
  if event == .malformed {
    promise(batch.ticks.isEmpty && batch.refused.count == 1, "a malformed message left something")
  }
}

private let paths: [JSONTradePaths] = {
  var flat = JSONTradePaths(time: ["t"], price: ["p"])
  flat.volume = ["v"]
  flat.id = ["i"]
  flat.side = ["m"]
  flat.symbol = ["s"]
  var nested = JSONTradePaths(time: ["1", "time"], price: ["0"])
  nested.trades = ["data", "0", "trades"]
  return [flat, nested, JSONTradePaths(time: ["0"], price: ["1"])]
}()

/// Messages of venues that the configuration describes.
func fuzzJSONFeeds(_ input: UnsafeRawBufferPointer) {
  let (choice, frame) = split(input)
  let decoder = JSONTradeDecoder(
    paths[choice % paths.count], symbols: choice & 64 == 0 ? .only(1) : .every,
    allowsNonpositivePrice: choice & 128 != 0)
  var batch = TickBatch()
  let event = decoder.decode(frame, into: &batch) { name in
    promise(SymbolName.isValid(name), "a symbol that is none was taken")
    return .success(9)
  }
  check(batch, in: frame, allowsNonpositivePrice: choice & 128 != 0)
  if event == .malformed { promise(batch.ticks.isEmpty, "a malformed message left ticks") }
}
