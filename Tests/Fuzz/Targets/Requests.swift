import CandleCore
import CandleFeeds
import CandleWire

private let timeframes = Timeframe.allCases

/// JSON: what is taken can be written, and the written text means the same.
func fuzzJSON(_ input: UnsafeRawBufferPointer) {
  let value = JSONValue(parsing: input)
  promise((value != nil) == JSONScanner.isDocument(input), "the readers of JSON do not agree")
  guard let value else { return }
  let out = ByteWriter()
  value.write(to: out)
  promise(out.array.withUnsafeBytes { JSONValue(parsing: $0) } == value, "what was written is another value")
}

func fuzzStream(_ input: UnsafeRawBufferPointer) {
  let parsed = StreamRequest.parse(input, timeframes: timeframes, maximumSnapshot: 100, isSymbol: SymbolName.isValid)
  switch parsed {
  case .failure(let refusal): promise(!refusal.code.isEmpty, "a refusal without a code")
  case .success(let request):
    guard case .subscribe(let topics, let start) = request.operation else { return }
    promise(Set(topics).count == topics.count && !topics.isEmpty, "doubled topics, or none")
    if case .snapshot(let count) = start { promise((0...100).contains(count), "a snapshot over the limit") }
    for topic in topics {
      if let symbol = topic.symbol { promise(SymbolName.isValid(symbol), "a symbol that is none") }
    }
  }
}

func fuzzBinanceRequests(_ input: UnsafeRawBufferPointer) {
  let parsed = BinanceRequest.parse(input, timeframes: timeframes) { $0 }
  if case .success(let request) = parsed, case .subscribe(let topics) = request.operation {
    _ = BinanceAnswer.list(topics, request.id)
  }
  let text = String(decoding: input, as: UTF8.self)
  _ = BinanceRequest.topics(streams: text, timeframes: timeframes) { $0 }
}

/// Everything that is asked for by the query of a URL.
func fuzzQuery(_ input: UnsafeRawBufferPointer) {
  let (choice, bytes) = split(input)
  let text = String(decoding: bytes, as: UTF8.self)
  let parameters = QueryParameters(text)
  _ = AccessToken.isGranted(["token"], authorization: text, parameter: parameters["token"])
  switch choice % 4 {
  case 0:
    if case .success(let query) = CandleQuery.parse(parameters, timeframes: timeframes) {
      promise((0...10_000).contains(query.limit), "a limit out of range")
    }
  case 1:
    if let query = try? BinanceQuery.parse(parameters, timeframes: timeframes, series: { $0 }) {
      promise((0...1_000).contains(query.limit), "a limit out of range")
    }
  case 2: _ = try? UDFQuery.parse(parameters, timeframes: timeframes, series: { $0 })
  default:
    _ = try? StreamParameters.parse(
      parameters, timeframes: timeframes, maximumSnapshot: 100, maximumTopics: 3, isSymbol: SymbolName.isValid,
      zone: { _ in nil })
  }
}
