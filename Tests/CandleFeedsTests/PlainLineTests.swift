import CandleCore
import CandleFeeds
import CandleTestSupport
import Testing

/// The hot path of the text format against the field-by-field reader: whatever one says, the other says too.
@Suite struct PlainLineTests {
  private func parse(_ text: String, _ format: TextFormat) -> TickBatch {
    var batch = TickBatch()
    var copy = text
    _ = copy.withUTF8 { format.parse(UnsafeRawBufferPointer($0), into: &batch) { _ in .success(7) } }
    return batch
  }

  /// - Parameter padding: a space before the line or its end keeps it from the hot path.
  private func outcome(_ line: String, unit: TimestampUnit, nonpositive: Bool, padding: String) -> String {
    let batch = parse(
      padding + line, TextFormat(timestamp: unit, allowsNonpositivePrice: nonpositive, symbolColumn: .none(7)))
    let ticks = batch.ticks.map { tick in
      "\(tick.time.nanoseconds) \(tick.price) \(tick.volume) \(tick.id.kind) \(tick.id.high) \(tick.id.low) \(tick.symbol)"
    }
    return ticks.joined() + batch.refused.map { "\($0.reason)" }.joined()
      + " \(batch.lines) \(batch.refused.map(\.line))"
  }

  @Test func everyLineIsReadTheSameOnBothPaths() {
    var random = SeededGenerator(seed: 1)
    func digits(_ range: ClosedRange<Int>) -> String {
      (0..<random.int(range)).map { _ in String(random.chance(1, in: 4) ? 0 : random.int(0...9)) }.joined()
    }
    func decimal() -> String {
      random.pick([
        digits(0...19), digits(0...10) + "." + digits(0...10), digits(0...19) + "." + digits(0...19), "0", "0.0",
        "00.1", ".",
      ])
    }
    for _ in 0..<60_000 {
      var line = random.pick([
        "1700000000123", "1700000000", "1700000000123456", "1700000000123456789", digits(0...20), "1700000000.5",
      ])
      if random.chance(19, in: 20) { line += "," + decimal() }
      if random.chance(3, in: 4) { line += "," + decimal() }
      if random.chance(1, in: 2) { line += "," + random.pick([digits(0...21), "abc", digits(1...18)]) }
      if random.chance(1, in: 20) { line += random.pick([",", ".", " ", "\r", "x", "-"]) }
      let unit = random.pick(TimestampUnit.allCases)
      let nonpositive = random.chance(1, in: 2)
      let plain = outcome(line, unit: unit, nonpositive: nonpositive, padding: "")
      let slow = outcome(line, unit: unit, nonpositive: nonpositive, padding: " ")
      #expect(plain == slow, "\(line) unit \(unit)")
    }
  }

  @Test func aLineIsReadTheSameWhateverFollowsIt() {
    var random = SeededGenerator(seed: 3)
    func digits(_ range: ClosedRange<Int>) -> String {
      (0..<random.int(range)).map { _ in "\(random.int(0...9))" }.joined()
    }
    for _ in 0..<20_000 {
      let time = random.pick(["1700000000123", "1700000000123", "9999999999999", digits(12...14)])
      let price = digits(0...9) + random.pick([".", ""]) + digits(0...9)
      let volume = digits(0...8) + random.pick([".", ""]) + digits(0...8)
      let line = [time, price, volume].joined(separator: ",") + random.pick(["", "", "", ",7", "x", "\r", " "])
      let rest = random.pick([
        "\n", "\n\n" + String(repeating: " ", count: 80), "\n" + String(repeating: "\n", count: 90),
      ])
      #expect(
        outcome(line + rest, unit: .auto, nonpositive: false, padding: "")
          == outcome(line, unit: .auto, nonpositive: false, padding: " "), "\(line)")
    }
  }

  @Test func aKnownSymbolIsReadLikeANewOne() {
    var random = SeededGenerator(seed: 4)
    let names = ["A", "BTCUSDT", "BTC-USDT", "1000PEPEUSDT", "ABCDEFGHIJKLMNO", "ABCDEFGHIJKLMNOP", "X:Y/Z", "A\u{0}"]
    var symbols = SymbolInterner()
    var batch = TickBatch()
    var given: [String: Int32] = [:]
    let format = TextFormat(symbolColumn: .first)
    for _ in 0..<5_000 {
      let name = random.pick(names)
      let text =
        "\(name),1700000000123,5.\(random.int(1...9)),1\n" + random.pick(["", String(repeating: " ", count: 90)])
      batch.clear()
      var copy = text
      _ = copy.withUTF8 { bytes in
        format.parse(UnsafeRawBufferPointer(bytes), into: &batch, symbols: &symbols) { new in
          #expect(given[name] == nil, "\(name) is asked about once")
          given[name] = Int32(given.count)
          return .success(given[String(decoding: new, as: UTF8.self)]!)
        }
      }
      if name.contains("\u{0}") {
        #expect(batch.refused.map(\.reason) == [.malformed])
      } else {
        #expect(
          batch.ticks.map(\.symbol) == [given[name]!]
            && batch.ranges[0].count
              == text.utf8.firstIndex(of: 10).map { text.utf8.distance(from: text.startIndex, to: $0) }
        )
      }
    }
  }

  @Test func everyFrameIsTheSumOfItsLines() {
    var random = SeededGenerator(seed: 2)
    let lines = [
      "1700000000123,5", "1700000000123,5,1", "1700000000123,5,1,9", "1700000000123,0", "bad", "", " 1700000000123,5",
      "1700000000123,5,1,9,9", "1700000000123,.", "1700000000123,5.", "1700000000123,,", "1700000000123,5,,7",
    ]
    let format = TextFormat(symbolColumn: .none(7))
    for _ in 0..<5_000 {
      let chosen = (0..<random.int(0...6)).map { _ in random.pick(lines) }
      let frame = parse(chosen.joined(separator: random.pick(["\n", "\r\n"])) + random.pick(["", "\n"]), format)
      let alone = chosen.map { parse($0, format) }
      #expect(frame.ticks.map(\.price) == alone.flatMap { $0.ticks.map(\.price) })
      #expect(frame.refused.map(\.reason) == alone.flatMap { $0.refused.map(\.reason) })
      let numbers = zip(1..., alone).flatMap { number, batch in batch.ticks.map { _ in number } }
      #expect(Array(frame.lines) == numbers)
    }
  }

  @Test func whatIsReadStaysWithinTheLine() {
    let batch = parse("1700000000123,5,1,12\n3,7", TextFormat(timestamp: .seconds, symbolColumn: .none(7)))
    #expect(batch.refused.count == 1 && batch.ticks.map(\.price) == ["7"])
    let next = parse("1700000000123,5\n,9", TextFormat(symbolColumn: .none(7)))
    #expect(next.ticks.map(\.volume) == ["0"] && next.refused.map(\.reason) == [.badTimestamp])
  }
}
