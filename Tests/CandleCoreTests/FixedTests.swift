import CandleCore
import Testing

@Suite struct FixedTests {
  @Test(arguments: [
    ("36500.25", "36500.25"), (".5", "0.5"), ("5.", "5"), ("+5", "5"), ("-5", "-5"), ("1e-8", "0.00000001"),
    ("00002.400", "2.4"), ("0.00002400", "0.000024"), ("12123500811184481.00", "12123500811184481"), ("1E3", "1000"),
    ("0", "0"), ("-0.0", "0"), ("0.000000000000000001", "0.000000000000000001"),
    ("999999999999999999", "999999999999999999"), ("1000.0000000000000000000000", "1000"),
    ("0000000000000000000000000000001", "1"), ("100000000000000000e-17", "1"),
  ])
  func sameValueOutAsIn(input: String, output: String) {
    #expect(Fixed(input)?.description == output)
  }

  @Test(arguments: ["", ".", "+", "-", "e5", "1e", "1e+", "nan", "NaN", "inf", "1.2.3", "1,5", " 1", "1 ", "0x10", "١"])
  func textThatIsNoNumberIsMalformed(text: String) {
    #expect(scan(text) == .malformed)
  }

  @Test(arguments: [
    "1000000000000000000", "1e18", "0.0000000000000000001", "1234567890.123456789", "1e-19", "1e400",
    "1.0000000000000000001",
  ])
  func whatDoesNotFitIsPrecision(text: String) {
    #expect(scan(text) == .precision)
  }

  @Test func comparesByValueWhateverTheScale() {
    #expect(Fixed("1.50") == Fixed("1.5"))
    #expect(Fixed(coefficient: 150, scale: 2).hashValue == Fixed(coefficient: 15, scale: 1).hashValue)
    #expect(Fixed("999999999999999999") > Fixed("0.000000000000000001"))
    #expect(Fixed("-1") < Fixed("0.5"))
  }

  @Test func theOrderIsThatOfTheNumbers() {
    let rising: [Fixed] = [
      "-999999999999999999", "-100", "-2.5", "-2", "-0.5", "-0.05", "0", "0.000000000000000001", "0.05", "0.5", "1",
      "1.05",
      "1.5", "2", "15", "100", "999999999999999999",
    ]
    for (a, x) in rising.enumerated() {
      for (b, y) in rising.enumerated() { #expect((x < y) == (a < b) && (x == y) == (a == b), "\(x) \(y)") }
    }
  }

  @Test func theDoubleIsTheNearestOrItsNeighbour() {
    for text in ["36500.25", "0.1", "999999999999999999", "0.000000000000000001", "-2.675", "123456789.987654321"] {
      let exact = Double(text)!
      #expect((Double(Fixed(text)!) - exact).magnitude <= exact.ulp, "\(text)")
    }
  }

  @Test func aScaleIsOnlyGivenUpWithoutLoss() {
    #expect(Fixed(coefficient: 150, scale: 2).coefficient(atScale: 1) == 15)
    #expect(Fixed(coefficient: 155, scale: 2).coefficient(atScale: 1) == nil)
    #expect(Fixed(coefficient: 15, scale: 1).coefficient(atScale: 3) == 1_500)
    #expect(Fixed("999999999999999999").coefficient(atScale: 18) == nil)
    #expect(Fixed(coefficient: 1_500, scale: 3).normalized.scale == 1)
  }

  private func scan(_ text: String) -> DecimalScanner.Outcome {
    var copy = text
    return copy.withUTF8 { DecimalScanner.scan(UnsafeRawBufferPointer($0)) }
  }
}
