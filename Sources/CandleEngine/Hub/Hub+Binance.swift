import CandleCore
import CandleWire

/// Readers that speak Binance's WebSocket.
extension Hub {
  func receivedBinance(_ message: UnsafeRawBufferPointer, from reader: Reader) {
    switch BinanceRequest.parse(message, timeframes: configuration.timeframes, series: seriesName) {
    case .failure(let refusal): refuse(reader, refusal)
    case .success(let request):
      switch request.operation {
      case .list: send(BinanceAnswer.list(reader.subscriptions.map(\.topic), request.id), to: reader)
      case .unsubscribe(let topics):
        for topic in topics { unsubscribe(reader, topic) }
        send(BinanceAnswer.done(request.id), to: reader)
      case .subscribe(let topics):
        let added = topics.filter { topic in !reader.subscriptions.contains { $0.topic == topic } }
        if hasTooManyTopics(reader, adding: added.count) {
          return refuse(
            reader,
            BinanceRequest.Refusal(
              id: request.id, code: 2,
              message: "Invalid request: a connection has at most \(configuration.topicsPerConnection) streams"))
        }
        send(BinanceAnswer.done(request.id), to: reader)
        if !added.isEmpty { begin(reader, added, .now) }
      }
    }
  }

  private func refuse(_ reader: Reader, _ refusal: BinanceRequest.Refusal) {
    counters.badRequests += 1
    send(BinanceAnswer.refused(refusal), to: reader)
  }
}
