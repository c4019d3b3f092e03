import CandleWire
import Testing

@Suite struct JSONScannerExtentsTests {
  private func elements(_ text: String) -> [String]? {
    Array(text.utf8).withUnsafeBytes { bytes in
      var cursor = JSONScanner(bytes)
      var found: [String] = []
      let isWhole = cursor.elements { [cursor] in found.append(String(decoding: cursor.slice($0), as: UTF8.self)) }
      return isWhole && cursor.isAtEnd ? found : nil
    }
  }

  @Test func bracketsAndStringsAreMatched() {
    #expect(elements(#" [ 1 ,"a]\"," , [ {"b":"}"} ],null ]  "#) == ["1", #""a]\",""#, #"[ {"b":"}"} ]"#, "null"])
    #expect(elements("[]") == [])
    for text in ["[", "[1", "[1,]", "[,1]", "[1 2]", "[[}]", "[\"a]", "[\"a\\", "[\"\n\"]", "{}", "[1]]", "[<]"] {
      #expect(elements(text) == nil, "\(text)")
    }
  }

  @Test func nestingIsLimited() {
    func nested(_ depth: Int) -> String {
      "[" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "]"
    }
    #expect(elements(nested(64))?.count == 1)
    #expect(elements(nested(65)) == nil)
  }
}
