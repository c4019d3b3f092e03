import CandleTestSupport
import CandleWire
import Testing

@Suite struct DoubleTextTests {
  private func text(_ value: Double) -> String { written { $0.write(value) } }

  @Test(
    arguments: [
      (0, "0"), (-0.0, "0"), (1, "1"), (-1, "-1"), (0.1, "0.1"), (36501.1, "36501.1"), (100, "100"),
      (1.0 / 3, "0.333333333333"),
      (2.0 / 3, "0.666666666667"), (0.1 + 0.2, "0.3"), (1e11, "100000000000"), (123_456_789_012_345, "123456789012000"),
      (99_999_999_999.96, "100000000000"),
      (999_999_999_999.96, "1000000000000"), (9.999999999999, "10"), (0.0000001, "0.0000001"),
      (1e17, "100000000000000000"),
      (1.5e18, "1.5e18"), (-1.5e18, "-1.5e18"), (1e300, "1e300"), (1.25e-8, "1.25e-8"), (1e-100, "1e-100"),
    ] as [(Double, String)])
  func twelveSignificantDigits(value: Double, expected: String) { #expect(text(value) == expected) }

  @Test(arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
  func whatIsNoNumberIsNull(value: Double) { #expect(text(value) == "null") }

  @Test(arguments: [
    Double.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNormalMagnitude, .leastNonzeroMagnitude, 1e-289,
    1e308, .pi, .ulpOfOne,
  ])
  func extremesAreValidJSON(value: Double) {
    let text = text(value)
    #expect(JSONValue(parsing: text) != nil && text.utf8.count <= 40)
    #expect((Double(text)! - value).magnitude <= max(5e-12 * value.magnitude, 1e-289))
  }

  @Test func aValueReadBackIsWithinTheTwelfthDigit() {
    var random = SeededGenerator(seed: 1)
    for round in 0..<100_000 {
      var value: Double
      if round % 2 == 0 {
        value = Double(bitPattern: random.next())
        if !value.isFinite || value.magnitude < 1e-289 { continue }
      } else {
        value =
          Double(random.int64(-1_000_000_000_000...1_000_000_000_000))
          / Double(random.pick([1, 3, 7, 100, 1_000_000, 999_983]))
        if value == 0 { continue }
      }
      let text = text(value)
      guard JSONValue(parsing: text) != nil, let back = Double(text) else {
        Issue.record("\(value) became \(text)")
        continue
      }
      #expect((back - value).magnitude <= 5.000001e-12 * value.magnitude, "\(value) became \(text)")
      let digits = text.utf8.prefix { $0 != UInt8(ascii: "e") }.filter { (48...57).contains($0) }
      #expect(digits.drop { $0 == 48 }.count <= 18 && text.utf8.count <= 40)
    }
  }

  @Test func decimalsOfUpToTwelveDigitsComeOutAsTheyAre() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<20_000 {
      let whole = random.int64(1...999_999)
      let fraction = String(random.int64(1_000_001...1_999_999)).dropFirst()
      var expected = "\(whole).\(fraction)"
      while expected.hasSuffix("0") { expected.removeLast() }
      if expected.hasSuffix(".") { expected.removeLast() }
      #expect(text(Double("\(whole).\(fraction)")!) == expected)
    }
  }
}
