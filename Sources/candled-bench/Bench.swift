import Glibc

/// `candled-bench SUBCOMMAND [--option N …]`: the parts of candled by themselves, one line of JSON figures each.
@main struct Bench {
  static let usage = """
    usage: candled-bench SUBCOMMAND [--option VALUE ...]
      parse       [--ticks N]                            lines to ticks, 1 and 100 lines a frame
      venue       [--messages N]                         messages of venues to ticks
      settle      [--ticks N] [--symbols N] [--chunk B] [--rate N]
                                                         lines to settled candles of three timeframes
      replay      [--ticks N] [--symbols N] [--directory D]
                                                         lines to stored candles
      flow        [--frames N] [--lines N] [--readers K] frames of ticks to the frames of readers, without sockets
      indicators  [--candles N] [--previews N]           the default 19 values: preview and commit
      wire        [--messages N] [--format F]            a forming candle with 19 values to its frame
      hub         [--messages N] [--readers K]           publishing to readers, and filling their buffers
      store       [--rows N] [--batch N] [--symbols N] [--directory D]
                                                         rows through the writer; newest 500 of a series
    """

  static func main() throws {
    guard let options = Options(CommandLine.arguments.dropFirst()) else { misuse() }
    switch options.subcommand {
    case "parse": ParseBench.run(options)
    case "venue": VenueBench.run(options)
    case "settle": SettleBench.run(options)
    case "indicators": IndicatorBench.run(options)
    case "wire": WireBench.run(options)
    case "hub": HubBench.run(options)
    case "replay": try ReplayBench.run(options)
    case "flow": FlowBench.run(options)
    case "store": try StoreBench.run(options)
    default: misuse()
    }
  }

  static func misuse() -> Never {
    print(usage)
    exit(64)
  }
}

/// The subcommand and its `--name value` pairs.
struct Options {
  let subcommand: String
  private var values: [String: String] = [:]

  /// nil if the arguments have another form.
  init?(_ arguments: ArraySlice<String>) {
    guard let first = arguments.first else { return nil }
    subcommand = first
    var rest = arguments.dropFirst()
    while let name = rest.popFirst() {
      guard name.hasPrefix("--"), let value = rest.popFirst() else { return nil }
      values[String(name.dropFirst(2))] = value
    }
  }

  func number(_ name: String, _ standard: Int) -> Int {
    guard let text = values[name] else { return standard }
    guard let number = Int(text), number > 0 else { Bench.misuse() }
    return number
  }

  func text(_ name: String) -> String? { values[name] }
}
