import CandleCore
import CandleTestSupport
import Testing

@Suite struct DecimalTextTests {
  private func text(_ write: (UnsafeMutableRawPointer) -> Int) -> String {
    withUnsafeTemporaryAllocation(byteCount: DecimalText.maximumLength, alignment: 1) { buffer in
      let count = write(buffer.baseAddress!)
      precondition(count <= DecimalText.maximumLength)
      return String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self)
    }
  }

  @Test func wholeNumbersAreWrittenAsStringWritesThem() {
    var values: [Int64] = [0, -1, .min, .max]
    var power: Int64 = 1
    for _ in 0..<18 {
      power *= 10
      values += [power - 1, power, power + 1, -power]
    }
    var random = SeededGenerator(seed: 1)
    for _ in 0..<20_000 { values.append(random.int64(.min ... .max) >> random.int64(0...63)) }
    for value in values { #expect(text { DecimalText.write(value, to: $0) } == String(value)) }
  }

  @Test func digitsAreCounted() {
    var value: UInt64 = 1
    for digits in 1...20 {
      #expect(DecimalText.digitCount(value) == digits)
      #expect(DecimalText.digitCount(value &- 1) == max(1, digits - 1))
      value &*= 10
    }
    #expect(DecimalText.digitCount(0) == 1 && DecimalText.digitCount(.max) == 20)
  }

  @Test func fixedNumbersAreWrittenDigitForDigit() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<20_000 {
      let value = Fixed(
        coefficient: random.int64(-999_999_999_999_999_999...999_999_999_999_999_999) >> random.int64(0...60),
        scale: UInt8(random.int(0...18)))
      let expected = NaiveDecimal(coefficient: String(value.coefficient), scale: Int(value.scale)).text
      #expect(text { DecimalText.write(value, to: $0) } == expected)
      #expect(value.description == expected)
    }
  }

  @Test func sumsAreWrittenDigitForDigit() {
    var random = SeededGenerator(seed: 3)
    var values: [FixedSum] = []
    for scale in 0...36 {
      for coefficient in [0, 1, -1, Int128.max, .min, Int128(Int64.max), Int128(Int64.min), Int128(Int64.max) + 1] {
        values.append(FixedSum(coefficient: coefficient, scale: UInt8(scale)))
      }
    }
    for _ in 0..<20_000 {
      let wide = Int128(random.int64(.min ... .max)) << 64 | Int128(UInt64(bitPattern: random.int64(.min ... .max)))
      let zeros = PowersOfTen.int128(random.int(0...20))
      values.append(
        FixedSum(
          coefficient: (wide >> Int128(random.int(0...127))) / zeros * zeros, scale: UInt8(random.int(0...36))))
    }
    for value in values {
      let expected = NaiveDecimal(coefficient: String(value.coefficient), scale: Int(value.scale)).text
      #expect(text { DecimalText.write(value, to: $0) } == expected, "\(value.coefficient) scale \(value.scale)")
    }
  }

  @Test func noExponentAndNoTrailingZeros() {
    #expect(Fixed(coefficient: 1, scale: 18).description == "0.000000000000000001")
    #expect(Fixed(coefficient: 1_500_000, scale: 6).description == "1.5")
    #expect(FixedSum(coefficient: 1, scale: 36).description == "0.000000000000000000000000000000000001")
    #expect(FixedSum(coefficient: -1_000, scale: 3).description == "-1")
  }
}
