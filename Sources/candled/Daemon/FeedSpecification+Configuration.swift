import CandleConfiguration
import CandleCore
import CandleFeeds

extension FeedSpecification {
  /// A feed of the configuration; several where the venue limits the streams of a connection: `binance`, `binance/2` …
  static func all(_ feed: Configuration.Feed) -> [FeedSpecification] {
    let venue = feed.preset.flatMap { Venue(rawValue: $0.rawValue) }
    guard let url = feed.url ?? venue?.url else { return [] }
    let symbols = feed.symbols.map {
      Symbol(venue: venue?.spelling($0.venue) ?? $0.venue, name: $0.name, base: $0.base, quote: $0.quote)
    }
    var whole = FeedSpecification(name: feed.name, url: url, symbols: symbols)
    whole.timestamp = feed.timestamp
    whole.allowsNonpositivePrice = feed.allowNonpositivePrice
    whole.contiguousIDs = venue?.hasContiguousIDs ?? feed.contiguousIds
    whole.subscribe = feed.subscribe.map(\.revealed)
    whole.silence = feed.silence
    whole.certificateAuthority = feed.ca
    whole.heartbeat = feed.heartbeat.map { VenueDuty(every: $0.every, text: $0.send.revealed) }
    whole.history = history(feed, venue: venue, url: url)
    guard let venue else {
      if let json = feed.json { whole.dialect = .json(JSONTradePaths(json)) }
      return [whole]
    }
    whole.dialect = .venue(venue)
    whole.heartbeat = venue.duty(url: url)
    let most = venue.symbolsPerConnection
    return stride(from: 0, to: symbols.count, by: most).map { start in
      var part = whole
      part.symbols = Array(symbols[start..<min(start + most, symbols.count)])
      // No feed of the configuration can be called so.
      if start > 0 { part.name += "/\(start / most + 1)" }
      return part
    }
  }

  /// What the configuration names, else the venue's own.
  private static func history(_ feed: Configuration.Feed, venue: Venue?, url: String) -> HistorySpecification? {
    if let history = feed.history, let format = HistoryFormat(rawValue: history.format.rawValue) {
      return HistorySpecification(
        url: history.url, format: format, omitsEmpty: history.omitsEmpty, certificateAuthority: history.ca)
    }
    return venue?.history(url: url).map {
      HistorySpecification(url: $0.url, format: $0.format, omitsEmpty: $0.omitsEmpty, spacing: $0.spacing)
    }
  }
}

extension JSONTradePaths {
  init(_ json: Configuration.Feed.JSON) {
    self.init(time: json.time.segments, price: json.price.segments)
    trades = json.trades?.segments
    symbol = json.symbol?.segments
    volume = json.volume?.segments
    id = json.id?.segments
    side = json.side?.segments
    buy = json.buy
  }
}
