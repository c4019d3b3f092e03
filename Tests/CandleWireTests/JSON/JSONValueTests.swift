import CandleTestSupport
import CandleWire
import Testing

@Suite struct JSONValueTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-0", "1", "-1", "10", "0.5", "-0.5", "1e5", "1E5", "1e+5", "1e-5", "0e0", "0.0e-0",
    "123456789012345678901234567890", "0.1000000000000000000000000001", "1.5e300", "\"\"", "\"a\"", "[]", "{}",
    "[1]", "[1,2]", "[[],[[]]]", "{\"a\":1}", "{\"a\":{\"b\":[null]}}", "{\"\":0}", " 1 ", "\t\n\r [ \n ] ",
    "[ 1 , 2 ]",
    "{ \"a\" : 1 , \"b\" : 2 }", "\"\u{7f}\"", "\"é\"", "\"\u{10ffff}\"", "{\"a\":1,\"a\":2}", "\"\\u0000\"",
    "\"\\ud83d\\ude00\"", "\"\\uD83D\\uDE00\"", "\"\\/\\\"\\\\\\b\\f\\n\\r\\t\"", "[0.4e006]", "[123.456789]",
    "[\"\\uFFFF\"]",
    "[\"\\u2028\"]", "\"\u{2028}\"",
  ])
  func documentsOfTheStandardAreRead(text: String) {
    #expect(JSONValue(parsing: text) != nil)
  }

  @Test(arguments: [
    "", " ", "nul", "nulll", "True", "NaN", "Infinity", "-Infinity", "undefined", "+1", "01", "-01", "00", "1.", ".5",
    "-", "-.5", "1.e5", "1e", "1e+", "1e-", "0x10", "1_000", "1,", "1 2", "--1", "1.2.3", "1e5.5", "-a", "- 1", "²",
    "\"", "\"a", "a\"", "'a'", "\"\n\"", "\"\t\"", "\"\u{1f}\"", "\"\u{0}\"", "\"\\\"", "\"\\x\"", "\"\\'\"", "\"\\a\"",
    "\"\\u\"", "\"\\u1\"", "\"\\u12\"", "\"\\u123\"", "\"\\u123g\"", "\"\\uD83D\"", "\"\\uDE00\"", "\"\\uD83D\\u0041\"",
    "\"\\uD83Dx\"", "\"\\uD83D\\uD83D\"", "\"\\uD83D\\\"", "\"\\U0041\"", "[", "]", "[1", "[1,", "[1,]", "[,1]",
    "[1,,2]", "[1 2]",
    "[1:2]", "[a]", "{", "}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{\"a\"}", "{\"a\" 1}",
    "{a:1}", "{1:1}", "{\"a\":1 \"b\":2}", "{\"a\"::1}", "[}", "{]", "[1]]", "{}{}", "{}x", "[1]#", "// c\n1",
    "/* c */1",
    "\u{feff}1", "1\u{0}", "\u{c}1", "\u{a0}1", "truefalse", "[true false]", "{\"a\":true,null}",
  ])
  func whatIsNoDocumentOfTheStandardIsRefused(text: String) {
    #expect(JSONValue(parsing: text) == nil)
  }

  @Test(
    arguments: [
      [0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xe2, 0x82, 0x22],
      [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], [0xff], [0x5b, 0xff, 0x5d],
    ] as [[UInt8]])
  func bytesThatAreNoUTF8AreRefused(bytes: [UInt8]) {
    #expect(bytes.withUnsafeBytes { JSONValue(parsing: $0) } == nil)
  }

  @Test(arguments: [
    ("\"\\u00e9\\u0041\"", "éA"), ("\"\\ud83d\\ude00!\"", "😀!"), ("\"\\u0000\"", "\u{0}"), ("\"a\\/b\"", "a/b"),
    ("\"\\b\\f\\n\\r\\t\"", "\u{8}\u{c}\n\r\t"), ("\"\\uFFFF\"", "\u{ffff}"), ("\"\\udbff\\udfff\"", "\u{10ffff}"),
  ])
  func escapesAreResolved(text: String, value: String) { #expect(JSONValue(parsing: text)?.string == value) }

  @Test(arguments: ["36500.250000000001", "0.1", "-0", "1E400", "123456789012345678901234567890.000", "1e-8"])
  func numbersKeepTheirDigits(text: String) {
    #expect(JSONValue(parsing: text) == .number(text))
    #expect(written { JSONValue(parsing: text)?.write(to: $0) } == text)
  }

  @Test func sixtyFourLevelsAreReadAndNoMore() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(JSONValue(parsing: nested(64)) != nil)
    #expect(JSONValue(parsing: nested(65)) == nil)
    #expect(JSONValue(parsing: String(repeating: "[", count: 1_000_000)) == nil)
    #expect(JSONValue(parsing: String(repeating: "{\"a\":", count: 1_000_000)) == nil)
  }

  @Test func ofADoubledKeyTheLastCounts() {
    #expect(JSONValue(parsing: "{\"a\":1,\"a\":2}")?["a"]?.integer == 2)
    #expect(JSONValue(parsing: "{\"a\":1}")?["b"] == nil)
    #expect(JSONValue(parsing: "[1]")?["a"] == nil)
  }

  @Test(arguments: [
    ("5", Int64(5) as Int64?), ("-0", 0), ("9223372036854775807", .max), ("9223372036854775808", nil), ("1.0", nil),
    ("1e2", nil), ("\"5\"", nil),
  ])
  func integersAreWholeNumbersWrittenWhole(text: String, value: Int64?) {
    #expect(JSONValue(parsing: text)?.integer == value)
  }

  @Test func whatIsWrittenIsReadBackTheSame() {
    var random = SeededGenerator(seed: 1)
    func value(_ depth: Int) -> JSONValue {
      switch random.int(0...(depth > 4 ? 3 : 5)) {
      case 0: .null
      case 1: .bool(random.chance(1, in: 2))
      case 2: .number("\(random.int64(-9...9))\(random.pick(["", ".5", "e3", ".25E-2"]))")
      case 3:
        .string(
          String(
            String.UnicodeScalarView(
              (0..<random.int(0...6)).map { _ in
                Unicode.Scalar(UInt32(random.pick([0, 9, 10, 13, 31, 34, 47, 92, 127, 233, 0x2028, 0x1f600])))!
              })))
      case 4: .array((0..<random.int(0...4)).map { _ in value(depth + 1) })
      default: .object((0..<random.int(0...4)).map { ("k\($0)\"\\", value(depth + 1)) })
      }
    }
    for _ in 0..<2_000 {
      let one = value(0)
      let text = written { one.write(to: $0) }
      #expect(JSONValue(parsing: text) == one, "\(text)")
    }
  }

  @Test func anyBytesNeverTrap() {
    var random = SeededGenerator(seed: 2)
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "u", "0041", "d83d", "1", "-", ".", "e", "null", "true", " ", "é",
      "\u{0}",
    ]
    for _ in 0..<20_000 {
      var bytes = Array((0..<random.int(0...20)).map { _ in random.pick(pieces) }.joined().utf8)
      if !bytes.isEmpty, random.chance(1, in: 3) { bytes[random.int(0...bytes.count - 1)] = UInt8(random.int(0...255)) }
      if let value = bytes.withUnsafeBytes({ JSONValue(parsing: $0) }) {
        #expect(JSONValue(parsing: written { value.write(to: $0) }) == value)
      }
    }
  }
}
