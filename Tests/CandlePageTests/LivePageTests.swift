import Testing

@testable import CandlePage

@Suite struct LivePageTests {
  private var document: String { String(decoding: LivePage.document.plain, as: UTF8.self) }

  @Test func theDocumentNamesOnlyFilesThatAreThereInThisVersion() {
    let named = document.split(separator: "\"").filter { $0.hasPrefix("/assets/") }
    #expect(named.count > 10)
    for path in named { #expect(LivePage.asset(path: String(path)) != nil, "\(path)") }
    #expect(!document.contains("{{"))
  }

  @Test func everyModuleIsPreloaded() {
    for name in LivePage.names where name.hasSuffix(".js") {
      #expect(document.contains("/assets/\(LivePage.version)/\(name)\""), "\(name)")
    }
  }

  @Test func anotherVersionIsNotServed() {
    #expect(LivePage.asset(path: "/assets/\(LivePage.version)/main.js") != nil)
    for path in [
      "/assets/0000000000000000/main.js", "/assets/main.js", "/assets/\(LivePage.version)/index.html",
      "/assets/\(LivePage.version)/", "/assets/\(LivePage.version)/../main.js",
    ] {
      #expect(LivePage.asset(path: path) == nil, "\(path)")
    }
  }

  @Test func compressedTheWholePageIsSmall() {
    let assets = LivePage.names.compactMap { LivePage.asset(path: "/assets/\(LivePage.version)/\($0)") }
    #expect((assets + [LivePage.document]).map(\.gzip.count).reduce(0, +) <= 150 << 10)
    for asset in assets + [LivePage.document] {
      #expect(asset.gzip.prefix(3) == [0x1f, 0x8b, 8] && !asset.plain.isEmpty, "\(asset.name)")
    }
  }

  @Test func theLicenceOfTheChartLibraryIsInThePage() {
    let licence = LivePage.asset(path: "/assets/\(LivePage.version)/klinecharts-license.txt")
    #expect(licence.map { String(decoding: $0.plain, as: UTF8.self).contains("Apache License") } == true)
    #expect(licence?.contentType == "text/plain; charset=utf-8")
  }

  @Test func theDocumentMayConnectToItsOwnHostOnly() {
    let policy = LivePage.contentSecurityPolicy(host: "127.0.0.1:8787")
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
    #expect(policy.contains("connect-src 'self' ws://127.0.0.1:8787 wss://127.0.0.1:8787;"))
    #expect(!policy.contains("unsafe") && !policy.contains("*"))
  }

  @Test(arguments: ["evil.example; script-src *", "a b", "a,b", "x'y", "", "a/b"])
  func aHostThatIsNoneDoesNotGetIntoThePolicy(host: String) {
    #expect(LivePage.contentSecurityPolicy(host: host).contains("connect-src 'self';"))
  }
}
