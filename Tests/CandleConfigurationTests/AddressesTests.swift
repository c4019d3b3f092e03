import Testing

@testable import CandleConfiguration

@Suite struct AddressesTests {
  @Test(arguments: ["127.0.0.1:0", "0.0.0.0:80", "[::]:80", "[fe80::1]:65535", "a-b.example:1", "localhost:8787"])
  func listens(text: String) { #expect(Addresses.listen(text)?.description == text) }

  @Test(arguments: [
    "", ":", ":80", "a", "a:", "a:x", "a:-1", "a:65536", "1.2.3.4.5:80", "256.0.0.1:80", "::1:80", "[::1]", "[x]:80",
    "[]:80", "a b:80",
    "-a:80", "a..b:80", "[::1:80",
  ])
  func doesNotListen(text: String) { #expect(Addresses.listen(text) == nil) }

  @Test(arguments: ["ws://h", "ws://h:1/", "wss://[::1]:9001/a?b=c:d", "ws://1.2.3.4?x", "ws://h/ü%20"])
  func urls(text: String) {
    #expect(Addresses.isURL(text, schemes: ["ws", "wss"]) == text.utf8.allSatisfy { $0 < 127 })
  }

  @Test(arguments: [
    "", "ws:", "ws://", "ws:///x", "http://h", "WS://h", "ws://h:0", "ws://h:x", "ws://h h", "ws://h#f", "ws://u@h",
    "ws://[::1", "ws://[::1]x",
  ])
  func noURLs(text: String) { #expect(!Addresses.isURL(text, schemes: ["ws", "wss"])) }
}
