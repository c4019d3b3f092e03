import CandleCore
import CandleTestSupport
import Testing

@Suite struct DecimalScannerTests {
  /// The grammar of the contract, read with strings: sign, digits with at most one point, exponent.
  private func reference(_ text: String) -> String {
    var rest = text[...]
    var sign = ""
    if let first = rest.first, first == "+" || first == "-" {
      if first == "-" { sign = "-" }
      rest.removeFirst()
    }
    let marks = rest.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    let parts = marks[0].split(separator: ".", omittingEmptySubsequences: false)
    let isDigits = { (part: Substring) in part.utf8.allSatisfy { (48...57).contains($0) } }
    guard parts.count <= 2, parts.allSatisfy(isDigits), parts.contains(where: { !$0.isEmpty }) else {
      return "malformed"
    }
    var exponent = 0
    if marks.count == 2 {
      var power = marks[1]
      let isNegative = power.hasPrefix("-")
      if isNegative || power.hasPrefix("+") { power.removeFirst() }
      guard !power.isEmpty, isDigits(power) else { return "malformed" }
      exponent = min(Int(power) ?? 10_000, 10_000) * (isNegative ? -1 : 1)
    }
    let fraction = parts.count == 2 ? parts[1] : ""
    var digits = Array(parts[0] + fraction)
    exponent -= fraction.count
    while digits.first == "0" { digits.removeFirst() }
    while digits.last == "0" {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { return "0" }
    if digits.count > 18 || -exponent > 18 || digits.count + exponent > 18 { return "precision" }
    let zeros = String(repeating: "0", count: max(0, exponent))
    return NaiveDecimal(coefficient: sign + String(digits) + zeros, scale: max(0, -exponent)).text
  }

  private func scanned(_ text: String) -> String {
    var copy = text
    switch copy.withUTF8({ DecimalScanner.scan(UnsafeRawBufferPointer($0)) }) {
    case .value(let value): return value.description
    case .malformed: return "malformed"
    case .precision: return "precision"
    }
  }

  @Test func anyTextIsReadAsTheGrammarSays() {
    var random = SeededGenerator(seed: 1)
    let alphabet = Array("0123456789000..+-eE x")
    for _ in 0..<40_000 {
      let text = String((0..<random.int(0...24)).map { _ in random.pick(alphabet) })
      #expect(scanned(text) == reference(text), "\(text)")
    }
  }

  @Test func anyNumberIsReadExactlyOrRefused() {
    var random = SeededGenerator(seed: 2)
    func digits(_ range: ClosedRange<Int>) -> String {
      (0..<random.int(range)).map { _ in String(random.chance(1, in: 3) ? 0 : random.int(0...9)) }.joined()
    }
    for _ in 0..<40_000 {
      var text = random.pick(["", "", "-", "+"]) + digits(0...20)
      if random.chance(3, in: 4) { text += "." + digits(0...22) }
      if random.chance(1, in: 4) { text += random.pick(["e", "E"]) + random.pick(["", "-", "+"]) + digits(0...3) }
      #expect(scanned(text) == reference(text), "\(text)")
    }
  }

  @Test func theValueStaysWithinEighteenDigitsAndDecimals() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<20_000 {
      let text = "\(random.int64(0...Int64.max))e-\(random.int(0...40))"
      guard let value = Fixed(text) else { continue }
      #expect(value.scale <= 18 && value.coefficient.magnitude < 1_000_000_000_000_000_000, "\(text)")
    }
  }
}
