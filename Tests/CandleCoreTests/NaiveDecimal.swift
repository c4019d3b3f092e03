/// A decimal number as a child would reckon with it: a sign, digits, a point. The reference for the fast numbers.
struct NaiveDecimal: Equatable {
  var negative: Bool
  /// The least significant first.
  var digits: [Int]
  /// How many of them stand behind the point.
  var decimals: Int

  init(negative: Bool, digits: [Int], decimals: Int) {
    self.negative = negative
    self.digits = digits
    self.decimals = decimals
  }

  /// - Parameter coefficient: a whole number as text, perhaps with a minus.
  init(coefficient: String, scale: Int) {
    let negative = coefficient.hasPrefix("-")
    self.init(
      negative: negative,
      digits: (negative ? coefficient.dropFirst() : coefficient[...]).reversed().map { Int(String($0))! },
      decimals: scale)
  }

  /// The same value with more decimals.
  private func padded(to wanted: Int) -> [Int] { Array(repeating: 0, count: wanted - decimals) + digits }

  private static func isLess(_ a: [Int], _ b: [Int]) -> Bool {
    for place in stride(from: max(a.count, b.count) - 1, through: 0, by: -1) {
      let x = place < a.count ? a[place] : 0
      let y = place < b.count ? b[place] : 0
      if x != y { return x < y }
    }
    return false
  }

  static func + (a: NaiveDecimal, b: NaiveDecimal) -> NaiveDecimal {
    let decimals = max(a.decimals, b.decimals)
    var x = a.padded(to: decimals)
    var y = b.padded(to: decimals)
    var negative = a.negative
    let subtracts = a.negative != b.negative
    if subtracts, isLess(x, y) {
      swap(&x, &y)
      negative = b.negative
    }
    var result: [Int] = []
    var carry = 0
    for place in 0..<max(x.count, y.count) + 1 {
      let p = place < x.count ? x[place] : 0
      let q = place < y.count ? y[place] : 0
      var digit = subtracts ? p - q - carry : p + q + carry
      carry = 0
      if digit < 0 {
        digit += 10
        carry = 1
      } else if digit > 9 {
        digit -= 10
        carry = 1
      }
      result.append(digit)
    }
    return NaiveDecimal(negative: negative, digits: result, decimals: decimals)
  }

  static func * (a: NaiveDecimal, b: NaiveDecimal) -> NaiveDecimal {
    var result = Array(repeating: 0, count: a.digits.count + b.digits.count + 1)
    for (i, x) in a.digits.enumerated() {
      for (j, y) in b.digits.enumerated() { result[i + j] += x * y }
    }
    for place in 0..<result.count - 1 {
      result[place + 1] += result[place] / 10
      result[place] %= 10
    }
    return NaiveDecimal(negative: a.negative != b.negative, digits: result, decimals: a.decimals + b.decimals)
  }

  /// Plain digits, no exponent, no zeros that say nothing.
  var text: String {
    var digits = digits
    while digits.count <= decimals { digits.append(0) }
    var whole = digits[decimals...].reversed().map(String.init).joined()
    var fraction = digits[..<decimals].reversed().map(String.init).joined()
    while whole.count > 1, whole.hasPrefix("0") { whole.removeFirst() }
    while fraction.hasSuffix("0") { fraction.removeLast() }
    let magnitude = fraction.isEmpty ? whole : "\(whole).\(fraction)"
    return negative && magnitude != "0" ? "-" + magnitude : magnitude
  }
}
