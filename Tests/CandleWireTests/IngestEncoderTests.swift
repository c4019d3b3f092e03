import CandleWire
import Testing

@Suite struct IngestEncoderTests {
  private let encoder = IngestEncoder()

  @Test func theAcknowledgementOfTheContract() {
    #expect(
      encoder.acknowledgement(frame: 7, accepted: 98, refused: 2).text
        == #"{"type":"ack","frame":7,"ticks":98,"refused":2}"#)
  }

  @Test func theErrorOfTheContract() {
    #expect(
      encoder.refusal(frame: 7, line: 3, code: "bad_price", message: "nan \"x\"\n").text
        == #"{"type":"error","code":"bad_price","frame":7,"line":3,"message":"nan \"x\"\n"}"#)
  }

  @Test func atMostTenErrorsAFrame() { #expect(IngestEncoder.maximumErrors == 10) }
}
