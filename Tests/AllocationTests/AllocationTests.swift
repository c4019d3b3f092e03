import CAllocationCounter
import CandleCore
import CandleEngine
import CandleFeeds
import CandleWire
import Testing

/// The hot path allocates nothing: counts repeat exactly where times do not.
///
/// Debug builds keep more values on the heap than release builds, so that a count of 0 here is one there, too. Where that
/// shows, debug builds are allowed a number: contexts of nested functions, and one for each element of a loop over a list
/// of objects.
@Suite(.serialized) struct AllocationTests {
  #if DEBUG
    private static let isDebug = true
  #else
    private static let isDebug = false
  #endif

  /// 2023-11-15 10:00 UTC.
  private static let start: Milliseconds = 1_700_042_400_000

  /// Allocations of this thread while `body` runs.
  private func allocations(_ body: () -> Void) -> UInt64 {
    let before = candled_allocation_count()
    body()
    return candled_allocation_count() - before
  }

  /// Frames of one feed through parser and engine, all inside one candle.
  private final class Feed {
    let engine = Engine(EngineConfiguration(rules: SettlementRules(timeframes: [.M1, .M5, .M15])))
    let format = TextFormat(symbolColumn: .none(0))
    var batch = TickBatch()
    var instant = Instant(monotonic: 1_000_000_000, wall: AllocationTests.start)
    var text: [UInt8] = []
    var id: UInt64 = 1

    init() {
      _ = engine.intern("BTCUSDT")
      engine.sourceUp(SourceID(1), symbols: [0], at: instant)
    }

    /// Writes a frame; not part of what is measured.
    func prepare(lines: Int, ids: Bool) {
      text.removeAll(keepingCapacity: true)
      for _ in 0..<lines {
        text += Array("\(instant.wall),36500.\(10 + id % 80),0.\(1 + id % 9)".utf8)
        if ids { text += Array(",\(id)".utf8) }
        text.append(10)
        id += 1
      }
    }

    func take() -> Int {
      batch.clear()
      _ = text.withUnsafeBytes { format.parse($0, into: &batch) { _ in .failure(.unknownSymbol) } }
      return batch.ticks.withUnsafeBufferPointer { engine.ingest($0, venue: 1, at: instant) }
    }

    func pass(_ milliseconds: Milliseconds) {
      instant.monotonic += milliseconds * 1_000_000
      instant.wall += milliseconds
    }
  }

  @Test func theCounterCounts() {
    guard candled_counts_allocations() else { return }
    var keep: UnsafeMutableRawPointer?
    let count = allocations { keep = .allocate(byteCount: 100, alignment: 16) }
    keep?.deallocate()
    #expect(count == 1)
    #expect(allocations {} == 0)
  }

  @Test(arguments: [(1, false), (100, false), (1, true), (100, true)])
  func parsingAndIngestingAFrameInsideACandleAllocatesNothing(lines: Int, ids: Bool) {
    guard candled_counts_allocations() else { return }
    let feed = Feed()
    // The set of ids doubles; 70 000 leave room for as many again before it next does.
    let warmUp = ids ? 70_000 / lines : 20
    for _ in 0..<warmUp {
      feed.prepare(lines: lines, ids: ids)
      _ = feed.take()
    }
    var total: UInt64 = 0
    var accepted = 0
    for _ in 0..<200 {
      feed.pass(10)
      feed.prepare(lines: lines, ids: ids)
      total += allocations { accepted += feed.take() }
    }
    #expect(accepted == 200 * lines)
    #expect(total == 0)
  }

  @Test func refusingADuplicateAllocatesNothing() {
    guard candled_counts_allocations() else { return }
    let feed = Feed()
    feed.prepare(lines: 100, ids: true)
    for _ in 0..<3 { _ = feed.take() }
    #expect(allocations { for _ in 0..<20 { _ = feed.take() } } == 0)
    #expect(feed.engine.refusals.count == 100)
  }

  @Test func parsingBadLinesAllocatesNothing() {
    guard candled_counts_allocations() else { return }
    let feed = Feed()
    feed.text = Array("x,1\n1700042400000,-1\n 1700042400000 , +1e0 , .5 \n1700042400000,1,1,1,1\n\n".utf8)
    for _ in 0..<3 { _ = feed.take() }
    // Four of the five lines are read field by field.
    #expect(allocations { for _ in 0..<20 { _ = feed.take() } } == (Self.isDebug ? 80 : 0))
  }

  @Test(arguments: [
    (
      Venue.binance, "BTCUSDT",
      #"{"stream":"btcusdt@trade","data":{"e":"trade","E":1700000040130,"s":"BTCUSDT","t":3374656743,"p":"36500.25000000","q":"0.01234000","T":1700000040123,"m":true,"M":true}}"#
    ),
    (
      .kraken, "BTC/USD",
      #"{"channel":"trade","type":"update","data":[{"symbol":"BTC/USD","side":"buy","price":105944.20,"qty":0.00027625,"trade_id":10218208,"timestamp":"2025-06-01T10:20:55.440295Z"}]}"#
    ),
    (
      .bybit, "BTCUSDT",
      #"{"topic":"publicTrade.BTCUSDT","data":[{"T":1672304486865,"s":"BTCUSDT","S":"Buy","v":"0.001","p":"16578.50","i":"20f43950-d8dd-5b31-9112-a178eb6023af"}]}"#
    ),
    (.binance, "BTCUSDT", #"{"e":"kline","s":"BTCUSDT","k":{"t":1,"o":"1"}}"#),
    (.binance, "BTCUSDT", #"{"e":"trade","s":"BTCUSDT","p":"x","#),
  ])
  func readingAMessageOfAVenueAllocatesNothing(venue: Venue, symbol: String, message: String) {
    guard candled_counts_allocations() else { return }
    let decoder = VenueDecoder(venue, symbols: [(symbol, 0)])
    let text = Array(message.utf8)
    var batch = TickBatch()
    for _ in 0..<3 {
      batch.clear()
      text.withUnsafeBytes { _ = decoder.decode($0, into: &batch) }
    }
    let count = allocations {
      for _ in 0..<20 {
        batch.clear()
        text.withUnsafeBytes { _ = decoder.decode($0, into: &batch) }
      }
    }
    #expect(count == 0)
  }

  @Test func readingTheClockAllocatesNothing() {
    guard candled_counts_allocations() else { return }
    let feed = Feed()
    feed.prepare(lines: 1, ids: false)
    _ = feed.take()
    #expect(
      allocations {
        for _ in 0..<100 {
          feed.pass(1)
          feed.engine.tick(at: feed.instant)
        }
      } == 0)
  }

  // MARK: Publication

  private func readers(_ count: Int) -> Hub {
    let hub = Hub(HubConfiguration(timeframes: [.M1, .M5, .M15], epoch: "e"), keys: .none, version: 0)
    for id in 1...UInt64(count) {
      hub.connect(id)
      Array(#"{"op":"subscribe","topics":["candle.M1.BTCUSDT"]}"#.utf8).withUnsafeBytes {
        hub.received($0, from: id, time: nil)
      }
      hub.warmed(id)
    }
    hub.takeEffects { _ in }
    return hub
  }

  /// Allocations of publishing one forming candle, when all queues have grown.
  private func publication(readers count: Int) -> (allocations: UInt64, encoded: Int64) {
    let hub = readers(count)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
    defer { buffer.deallocate() }
    let candle = Candle(
      openTime: Self.start, content: .flat(at: "36500.25"), origin: .ticks, complete: true, settlement: nil)
    var last: UInt64 = 0
    for _ in 0..<10 {
      for id in 1...UInt64(count) { while hub.fill(id, into: buffer) > 0 {} }
      hub.takeEffects { _ in }
      last = allocations {
        hub.publishForming(
          candle, series: SeriesKey(symbol: 0, timeframe: .M1), symbol: "BTCUSDT", position: 0, values: nil)
      }
    }
    return (last, hub.counters.encoded / 10)
  }

  @Test func aFormingMessageIsEncodedOnceWhateverTheNumberOfReaders() {
    guard candled_counts_allocations() else { return }
    let one = publication(readers: 1)
    let hundred = publication(readers: 100)
    #expect(one.encoded == 1 && hundred.encoded == 1)
    // The list of effects is handed over and grows anew: some doublings more.
    let growth: UInt64 = 8 + (Self.isDebug ? 2 * 99 : 0)
    #expect(
      hundred.allocations <= one.allocations + growth,
      "\(one.allocations) for one reader, \(hundred.allocations) for a hundred")
  }
}
