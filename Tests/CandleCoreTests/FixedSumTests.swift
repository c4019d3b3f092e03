import CandleCore
import CandleTestSupport
import Testing

@Suite struct FixedSumTests {
  @Test func aMillionTenthsAreOneHundredThousand() {
    var sum = FixedSum.zero
    for _ in 0..<1_000_000 { _ = sum.add("0.1") }
    #expect(sum.description == "100000")
  }

  @Test func scalesMixExactly() {
    var sum = FixedSum("12123500811184481.00")
    let fits = sum.add("0.00000001")
    #expect(fits)
    #expect(sum.description == "12123500811184481.00000001")
  }

  @Test func overflowIsReportedAndChangesNothing() {
    var sum = FixedSum(coefficient: .max, scale: 18)
    let before = sum
    let fits = sum.add("0.000000000000000001")
    #expect(!fits)
    #expect(sum == before)
  }

  @Test func widestProductIsExact() {
    let sum = FixedSum.product("999999999999999999", "0.999999999999999999")
    #expect(sum.description == "999999999999999998.000000000000000001")
    #expect(
      FixedSum.product("0.000000000000000001", "0.000000000000000001").description
        == "0.000000000000000000000000000000000001")
    #expect(
      FixedSum.product("-999999999999999999", "999999999999999999").description
        == "-999999999999999998000000000000000001")
    #expect(Double(FixedSum.product("999999999999999999", "2")) == 1999999999999999998.0)
  }

  private func naive(_ value: FixedSum) -> NaiveDecimal {
    NaiveDecimal(coefficient: String(value.coefficient), scale: Int(value.scale))
  }

  private func add(_ number: Fixed, to sum: inout FixedSum) {
    let fits = sum.add(number)
    #expect(fits)
  }

  private func number(_ random: inout SeededGenerator) -> Fixed {
    Fixed(
      coefficient: random.int64(-999_999_999_999_999_999...999_999_999_999_999_999) >> random.int64(0...59),
      scale: UInt8(random.int(0...18)))
  }

  @Test func productsAreWhatOneWorksOutByHand() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<5_000 {
      let a = number(&random)
      let b = number(&random)
      #expect(FixedSum.product(a, b).description == (naive(FixedSum(a)) * naive(FixedSum(b))).text, "\(a) × \(b)")
    }
  }

  @Test func sumsAreWhatOneWorksOutByHandWhateverTheOrder() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<500 {
      let numbers = (0..<random.int(1...20)).map { _ in number(&random) }
      var sum = FixedSum.zero
      for number in numbers { add(number, to: &sum) }
      let byHand = numbers.reduce(NaiveDecimal(coefficient: "0", scale: 0)) { $0 + naive(FixedSum($1)) }
      #expect(sum.description == byHand.text)
      var otherWay = FixedSum.zero
      for number in numbers.shuffled(using: &random) { add(number, to: &otherWay) }
      #expect(sum == otherWay)
    }
  }

  @Test func whatIsAddedAndTakenAwayLeavesTheValue() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<5_000 {
      let start = FixedSum.product(number(&random), number(&random))
      let other = number(&random)
      var sum = start
      guard sum.add(other) else { continue }
      add(Fixed(coefficient: -other.coefficient, scale: other.scale), to: &sum)
      #expect(sum == start)
    }
  }

  @Test func aSumThatDoesNotFitAtTheLargerScaleIsReported() {
    var sum = FixedSum(coefficient: 171_000_000_000_000_000_000, scale: 0)
    let before = sum
    let fits = sum.add("0.000000000000000001")
    #expect(!fits && sum == before)
    add("0.00000000000000001", to: &sum)
  }

  @Test func normalizedIsTheSameValueWithTheSmallestScale() {
    #expect(FixedSum(coefficient: 1_500, scale: 3).normalized.scale == 1)
    #expect(FixedSum(coefficient: 0, scale: 9).normalized.scale == 0)
    #expect(FixedSum(coefficient: 100, scale: 0).normalized.coefficient == 100)
    let wide = FixedSum(coefficient: Int128(Int64.max) * 1_000_000, scale: 7)
    #expect(wide.normalized.scale == 1 && wide.normalized == wide)
  }

  @Test func aScaleIsOnlyGivenUpWithoutLoss() {
    #expect(FixedSum(coefficient: 1_500, scale: 3).coefficient(atScale: 1) == 15)
    #expect(FixedSum(coefficient: 1_500, scale: 3).coefficient(atScale: 0) == nil)
    #expect(FixedSum(coefficient: .max, scale: 0).coefficient(atScale: 1) == nil)
  }

  @Test func theDoubleIsWithinOneUnitInTheLastPlace() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<5_000 {
      let value = FixedSum.product(number(&random), number(&random))
      guard let exact = Double(value.description) else { continue }
      #expect((Double(value) - exact).magnitude <= 2 * exact.ulp, "\(value)")
    }
  }
}
