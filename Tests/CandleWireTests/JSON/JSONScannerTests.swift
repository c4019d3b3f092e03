import CandleWire
import Foundation
import Testing

@Suite struct JSONScannerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var text: [UInt8]
    var testDescription: String { name }
  }

  private static let cases: [Case] = {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Fixtures/json_test_suite.tsv").standardizedFileURL
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
    var cases: [Case] = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
      let fields = line.split(separator: "\t", maxSplits: 1).map(String.init)
      if fields[1].hasPrefix("=") {
        return Data(base64Encoded: String(fields[1].dropFirst())).map { Case(name: fields[0], text: Array($0)) }
      }
      return Case(name: fields[0], text: Array(fields[1].utf8))
    }
    cases.append(
      Case(name: "n_structure_100000_opening_arrays", text: Array(repeating: UInt8(ascii: "["), count: 100_000)))
    cases.append(
      Case(
        name: "n_structure_open_array_object",
        text: Array(String(repeating: "[{\"\":", count: 50_000).utf8)))
    return cases
  }()

  private func isDocument(_ text: [UInt8]) -> Bool { text.withUnsafeBytes { JSONScanner.isDocument($0) } }

  /// Walks without looking for extents, as decoders do.
  private func isWalked(_ text: [UInt8]) -> Bool { text.withUnsafeBytes { JSONValue(parsing: $0) != nil } }

  @Test func theSuiteIsWhole() { #expect(Self.cases.count == 323) }

  @Test(arguments: cases) func theConformanceSuiteIsPassed(one: Case) {
    let taken = isDocument(one.text)
    #expect(isWalked(one.text) == taken)
    switch one.name.first {
    case "y": #expect(taken)
    case "n": #expect(!taken)
    default: break
    }
  }

  /// Where the suite leaves a choice: digits are kept whatever their number; text that cannot be UTF-8 is none.
  @Test(arguments: cases.filter { $0.name.hasPrefix("i_") }) func whatTheSuiteLeavesOpenIsStrict(one: Case) {
    #expect(isDocument(one.text) == one.name.hasPrefix("i_number_"))
  }

  @Test func everyPrefixOfADocumentIsNone() {
    let text = Array(#"{"a":[1,-2.5e+3,"x\u00e9\ud83d\ude39é😀",true,false,null,{"b":{}},[]],"c":"d"}"#.utf8)
    #expect(isDocument(text))
    for count in 0..<text.count {
      #expect(!isDocument(Array(text[..<count])), "\(count) bytes")
      #expect(!isWalked(Array(text[..<count])), "\(count) bytes")
    }
  }

  @Test func valuesAreTheBytesOfTheText() throws {
    Array(#" {"p":"1\/2","q":105944.20, "r":[1.50e-08] ,"s":true} "#.utf8).withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      var found: [String] = []
      let isObject = scanner.beginObject()
      #expect(isObject)
      while let key = scanner.key(), let value = scanner.value() {
        found.append("\(key.string)=\(value.text.string)/\(value.kind)")
      }
      #expect(found == ["p=1/2/string", "q=105944.20/number", "r=[1.50e-08]/array", "s=true/bool"])
      let isAtEnd = scanner.isAtEnd
      #expect(isAtEnd && !scanner.failed)
    }
  }

  @Test func textsWithEscapesAreWhatTheyMean() {
    Array(#"["\u0061\"\\\n\ud83d\ude39","a"]"#.utf8).withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      let isArray = scanner.beginArray() && scanner.element()
      let first = scanner.value()
      #expect(isArray)
      #expect(first?.text.string == "a\"\\\n😹")
      #expect(first?.text.isEscaped == true && first?.isString("a\"\\\n😹") == true)
      let hasSecond = scanner.element()
      let second = scanner.value()
      #expect(hasSecond && second?.isString("a") == true)
      let isWhole = !scanner.element() && scanner.isAtEnd
      #expect(isWhole)
    }
  }

  /// Long strings are read eight bytes a step: whatever stops them may stand at any place of the eight.
  @Test func whatEndsAStringIsFoundAtEveryPlace() {
    for length in 0..<20 {
      let start = String(repeating: "x", count: length)
      for rest in 0..<10 {
        let end = String(repeating: "y", count: rest)
        #expect(isDocument(Array("\"\(start)\(end)\"".utf8)))
        #expect(isDocument(Array("\"\(start)é\\n\(end)\"".utf8)))
        for bad in ["\u{1f}", "\u{0}", "\\x", "\"\""] {
          #expect(!isDocument(Array("\"\(start)\(bad)\(end)\"".utf8)), "\(start)\(bad)\(end)")
        }
        #expect(!isDocument([34] + Array(start.utf8) + [0xff] + Array(end.utf8) + [34]))
      }
    }
  }

  @Test func nestingIsLimited() {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    #expect(isDocument(nested(64)) && isWalked(nested(64)))
    #expect(!isDocument(nested(65)) && !isWalked(nested(65)))
  }
}
