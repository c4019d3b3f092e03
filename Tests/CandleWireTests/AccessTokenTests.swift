import CandleWire
import Testing

@Suite struct AccessTokenTests {
  private let tokens = ["first", "s3cret", "größe"]

  @Test(
    arguments: [
      ("Bearer first", nil), ("bearer s3cret", nil), ("BEARER größe", nil), (nil, "first"), (nil, "größe"),
      ("Basic abc", "s3cret"), ("Bearer first", "wrong"),
    ] as [(String?, String?)])
  func aTokenIsTakenFromTheHeaderOrElseTheParameter(authorization: String?, parameter: String?) {
    #expect(AccessToken.isGranted(tokens, authorization: authorization, parameter: parameter))
  }

  @Test(
    arguments: [
      (nil, nil), (nil, ""), ("Bearer ", nil), ("Bearer firs", nil), ("Bearer firstt", nil), ("Bearer First", nil),
      ("first", nil), ("Bearer  first", nil), ("Bearer first,s3cret", nil), ("Bearer wrong", "first"),
      (nil, "s3crets3cret"),
      (nil, "s3cre\0"),
    ] as [(String?, String?)])
  func nothingElseIs(authorization: String?, parameter: String?) {
    #expect(!AccessToken.isGranted(tokens, authorization: authorization, parameter: parameter))
  }

  @Test func withoutTokensNobodyHasOne() {
    #expect(!AccessToken.isGranted([], authorization: "Bearer x", parameter: "x"))
  }
}
