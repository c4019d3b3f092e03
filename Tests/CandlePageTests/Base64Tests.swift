import Testing

@testable import CandlePage

@Suite struct Base64Tests {
  /// RFC 4648, section 10.
  @Test func theVectorsOfTheStandardAreDecoded() {
    let vectors: [(StaticString, String)] = [
      ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
      ("Zm9vYmFy", "foobar"),
    ]
    for (text, expected) in vectors { #expect(Base64.decode(text) == Array(expected.utf8)) }
  }

  @Test func everyByteComesBack() {
    #expect(Base64.decode("+/+/AP8Q") == [0xfb, 0xff, 0xbf, 0x00, 0xff, 0x10])
  }
}
