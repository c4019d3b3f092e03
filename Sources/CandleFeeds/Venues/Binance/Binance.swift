import CandleCore

/// Binance: spot, Binance.US, USD-M and COIN-M futures, which speak the same. docs/venues/binance.md.
enum Binance {
  /// Streams of one connection.
  static let symbolsPerConnection = 1_024

  static func url(_ venue: Venue) -> String {
    switch venue {
    case .binanceUS: "wss://stream.binance.us:9443/ws"
    case .binanceUSDM: "wss://fstream.binance.com/ws"
    case .binanceCOINM: "wss://dstream.binance.com/ws"
    default: "wss://stream.binance.com:9443/ws"
    }
  }

  /// Five messages a second are allowed; 256 streams each make at most four.
  static func subscriptions(_ symbols: [String], _ plan: VenueSubscription.Plan) -> [VenueSubscription] {
    VenueSubscription.batches(symbols, of: 256, plan) { number, symbols in
      let streams = VenueSubscription.array(symbols.map { $0.lowercased() + "@trade" })
      return #"{"method":"\#(plan.cancels ? "UNSUBSCRIBE" : "SUBSCRIBE")","params":\#(streams),"id":\#(number)}"#
    }
  }

  /// The venue's own pings are frames, no messages: a market without trades would look like a dead socket.
  static let duty = VenueDuty(every: 20_000, text: #"{"method":"LIST_SUBSCRIPTIONS","id":0}"#)

  static func history(_ venue: Venue) -> VenueHistory {
    switch venue {
    case .binanceUS: VenueHistory(url: "https://api.binance.us/api/v3/klines", format: .binance, spacing: 250)
    case .binanceUSDM: VenueHistory(url: "https://fapi.binance.com/fapi/v1/klines", format: .binance, spacing: 500)
    case .binanceCOINM:
      VenueHistory(url: "https://dapi.binance.com/dapi/v1/klines", format: .binanceCOINM, spacing: 500)
    default: VenueHistory(url: "https://api.binance.com/api/v3/klines", format: .binance, spacing: 250)
    }
  }
}
