import CandleCore
import CandleFeeds
import Foundation
import Testing

/// Single messages of some twenty exchanges, recorded by others: the folder `messages` of the real data.
@Suite struct VenueMessagesTests {
  private static let folder: URL? = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
    let folders = [
      ProcessInfo.processInfo.environment["CANDLED_DATA"].map { URL(filePath: $0) },
      root.appending(path: "../shared/data").standardizedFileURL,
    ]
    return folders.compactMap { $0?.appending(path: "messages") }
      .first { FileManager.default.fileExists(atPath: $0.path) }
  }()

  private static let files: [String] = {
    guard let folder else { return [] }
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
      $0.hasSuffix(".jsonl")
    }.sorted()
  }()

  private func messages(_ file: String) throws -> [[UInt8]] {
    let text = try String(contentsOf: Self.folder!.appending(path: file), encoding: .utf8)
    return text.split(whereSeparator: \.isNewline).map { Array($0.utf8) }
  }

  /// `T` trades, `x` refused, `.` ignored; one letter a message.
  private func kinds(_ all: [Decoded]) -> String {
    all.map { decoded in
      switch decoded.event {
      case .trades: decoded.refused.isEmpty ? "T" : "x"
      case .malformed: "!"
      case .ignored: "."
      default: "?"
      }
    }.joined()
  }

  static let presets: [(file: String, venue: Venue, symbols: [String], kinds: String)] = [
    ("cryptomsg_binance.jsonl", .binance, ["BTCUSDT"], "TxxxT......"),
    ("unicornfy_binance.jsonl", .binance, ["BTCUSDT"], "TTT.T..x...."),
    ("cryptomsg_bitstamp.jsonl", .bitstamp, ["btcusd"], "T"),
    ("cryptomsg_coinbase_pro.jsonl", .coinbase, ["BTC-USD"], "T."),
    ("cryptomsg_okx.jsonl", .okx, ["BTC-USDT", "BTC-USDT-SWAP"], "TxTxxx......"),
    // Of the API before v5, and of v1: other messages to today's presets.
    ("cryptomsg_bybit.jsonl", .bybit, ["BTCUSDT"], "......"),
    ("cryptomsg_kraken.jsonl", .kraken, ["BTC/USD"], "......"),
  ]

  @Test(.enabled(if: folder != nil), arguments: presets)
  func messagesOfAPresetAreReadIgnoredOrRefused(file: String, venue: Venue, symbols: [String], kinds: String) throws {
    let decoder = VenueDecoder(venue, symbols: symbols.enumerated().map { ($1, Int32($0)) })
    let all = try messages(file).map { decode(decoder, $0) }
    #expect(self.kinds(all) == kinds)
    #expect(all.flatMap(\.refused).allSatisfy { $0 == .unknownSymbol })
    #expect(all.flatMap { Array($0.batch.ticks) }.allSatisfy { $0.takerSide != .unknown && $0.id.kind == .number })
  }

  /// Paths, as they stand in a configuration: trades, symbol, time, price, volume, id, side. What a venue's other products
  /// call otherwise is refused.
  static let described: [(file: String, paths: [String], kinds: String)] = [
    (
      "cryptomsg_gate.jsonl", ["result", "currency_pair", "create_time_ms", "price", "amount", "id", "side"],
      ".Txxxxx....."
    ),
    (
      "cryptomsg_huobi.jsonl", ["tick.data", "ch", "ts", "price", "amount", "tradeId", "direction"],
      "TTTTTTTTT........"
    ),
    ("cryptomsg_bitget.jsonl", ["data", "arg.instId", "0", "1", "2", "", "3"], "TTT"),
    (
      "cryptomsg_deribit.jsonl",
      ["params.data", "instrument_name", "timestamp", "price", "amount", "trade_id", "direction"], "TTT..."
    ),
    ("cryptomsg_kucoin.jsonl", ["data", "symbol", "time", "price", "size", "tradeId", "side"], "Txxx."),
  ]

  @Test(.enabled(if: folder != nil), arguments: described)
  func messagesOfOthersAreReadByPaths(file: String, paths: [String], kinds: String) throws {
    func path(_ index: Int) -> [String]? {
      paths[index].isEmpty ? nil : paths[index].split(separator: ".").map(String.init)
    }
    var all = JSONTradePaths(time: path(2)!, price: path(3)!)
    (all.trades, all.symbol, all.volume, all.id, all.side) = (path(0), path(1), path(4), path(5), path(6))
    let decoder = JSONTradeDecoder(all, symbols: .every)
    let decoded = try messages(file).prefix(kinds.count).map { message in
      var batch = TickBatch()
      let event = message.withUnsafeBytes { decoder.decode($0, into: &batch) { _ in .success(0) } }
      return Decoded(event: event, batch: batch)
    }
    #expect(self.kinds(decoded) == kinds, "\(decoded.map { ($0.event, $0.refused, $0.lines) })")
  }

  /// Whoever's message comes where: it is read, ignored or refused, and never half.
  @Test(.enabled(if: folder != nil), arguments: Venue.allCases)
  func noMessageOfAnotherVenueBringsADecoderDown(venue: Venue) throws {
    for file in Self.files {
      for message in try messages(file) {
        let decoded = decode(decoder(venue), message)
        #expect(decoded.event != .malformed)
        for count in stride(from: 1, to: message.count - 1, by: 37) {
          let cut = decode(decoder(venue), Array(message[..<count]))
          #expect(cut.event == .malformed && cut.batch.ticks.isEmpty)
        }
      }
    }
  }
}
