import Testing

@testable import CandlePage

@Suite struct AcceptEncodingTests {
  @Test(arguments: [
    "gzip", "gzip, deflate, br", "deflate, GZIP;q=0.5", "br;q=1.0, gzip ; q=0.8, *;q=0.1", "*", "x-gzip",
    "identity;q=0, *;q=1",
  ])
  func gzipIsSentWhereItIsTaken(header: String) { #expect(AcceptEncoding.takesGzip(header)) }

  @Test(arguments: ["", "identity", "deflate, br", "gzip;q=0", "gzip; q=0.0, *", "*;q=0", "xgzip"])
  func gzipIsNotSentWhereItIsNot(header: String) { #expect(!AcceptEncoding.takesGzip(header)) }

  @Test func withoutTheHeaderTheFileGoesOutAsItIs() { #expect(!AcceptEncoding.takesGzip(nil)) }
}
