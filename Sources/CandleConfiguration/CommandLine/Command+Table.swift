import CandleCore

extension Command {
  /// The command that is meant when none is named.
  public static let defaultName = "run"

  /// Every command, in the order of the help. One that is not in the list does not exist.
  public static let all: [Command] = [
    run, check, demo, replay, importing, export, backfill, verify, tail, version,
  ]

  private static let config = Option(
    "config", .file, "The configuration; otherwise candled.yaml here, then /etc/candled/candled.yaml")
  private static let logging = [
    Option("log-format", .choice(["text", "json"]), default: "text", "How log lines are written"),
    Option("log-level", .choice(["debug", "info", "warning", "error"]), default: "info", "The least that is logged"),
  ]
  private static let database = Option("db", .file, isRequired: true, "The SQLite database")
  private static let from = Option("from", .time, "First open time: Unix ms, or like 2024-01-31 or 2024-01-31T12:00Z")
  private static let to = Option("to", .time, "End, not included; as --from")

  static let run = Command("run", "Run the daemon", options: [config] + logging)

  static let check = Command(
    "check", "Check the configuration and print everything that is wrong with it",
    details: "Ends with 78 if something is.", options: [config] + logging)

  static let demo = Command(
    "demo", "Replay a recorded trade stream through a local exchange and a daemon on it",
    options: [
      Option("speed", .positive, placeholder: "X", default: "60", "How much faster than life"),
      Option("db", .file, "The SQLite database; otherwise a temporary one"),
      Option("listen", .listen, default: "127.0.0.1:8787", "Where the daemon listens"),
      Option("once", .flag, "End when the recording does; otherwise the daemon goes on serving"),
      Option("duration", .duration, "End after so long"),
    ] + logging)

  static let replay = Command(
    "replay", "Build candles from tick files, exactly as the live path would",
    details: """
      Lines are timestamp,price[,volume[,trade_id]], with the symbol before them unless --symbol names it.
      A series that the database has already is refused (65) without --replace.
      """,
    options: [
      database,
      Option("symbol", .symbol, "The symbol of every tick; otherwise the first column is"),
      Option("timeframes", .timeframes, default: "M1,M5,M15", "The lengths of candles"),
      Option("empty", .choice(["flat", "none"]), default: "flat", "What an interval without ticks yields"),
      Option(
        "correction-window", .duration, default: "60s", "How long after its end a candle is corrected by late ticks"),
      Option(
        "flat-limit", .integer(0...1_000_000_000), placeholder: "N", default: "1440",
        "Flat candles in a row after which a symbol is dormant; 0 = no limit"),
      Option("timestamp", .choice(TimestampUnit.allCases.map(\.rawValue)), default: "auto", "Unit of the timestamps"),
      Option("indicators", .flag, "Store indicator values with each candle"),
      Option("replace", .flag, "Replace series that the database has"),
      Option("strict", .flag, "End with 65 if a line is refused"),
    ],
    arguments: [Argument("FILE", .file, count: 1...Int.max, "Tick files in their order; - is the standard input")])

  static let importing = Command(
    "import", "Fill a series, and the longer ones made of it, from files of candles",
    details: """
      A candle that is complete from ticks stays as it is; one that is missing or incomplete is replaced whole.
      csv has a header line, or the columns open_time,open,high,low,close,volume.
      """,
    options: [
      database,
      Option("symbol", .symbol, isRequired: true, "The symbol of the candles"),
      Option("timeframe", .timeframe, "Their length; otherwise the shortest of --timeframes"),
      Option("format", .choice(["csv", "zxkline", "binance", "json"]), default: "csv", "How the files are written"),
      Option("omits-empty", .flag, "What the files leave out between two candles had no ticks"),
      Option("timeframes", .timeframes, default: "M1,M5,M15", "The lengths of candles in the database"),
      Option("empty", .choice(["flat", "none"]), default: "flat", "What an interval without ticks yields"),
      Option(
        "flat-limit", .integer(0...1_000_000_000), placeholder: "N", default: "1440",
        "Flat candles in a row after which a symbol is dormant; 0 = no limit"),
      Option("strict", .flag, "End with 65 if a row is refused"),
    ],
    arguments: [Argument("FILE", .file, count: 1...Int.max, "Files of candles; - is the standard input")])

  static let backfill = Command(
    "backfill", "Fill a range from the history source of a feed",
    details: "The daemon must not run on the same database.",
    options: [
      config,
      Option("symbol", .symbol, isRequired: true, "The symbol of the candles"),
      Option("from", .time, isRequired: true, "First open time: Unix ms, or like 2024-01-31 or 2024-01-31T12:00Z"),
      Option("to", .time, "End, not included; as --from; otherwise now"),
      Option("feed", .text, "The feed whose source is asked; otherwise the first that has one for the symbol"),
    ])

  static let export = Command(
    "export", "Write stored candles to the standard output",
    options: [
      database,
      Option("symbol", .symbol, isRequired: true, "The symbol of the candles"),
      Option("timeframe", .timeframe, isRequired: true, "Their length"),
      from, to,
      Option("format", .choice(["csv", "json"]), default: "csv", "How they are written"),
    ])

  static let verify = Command(
    "verify", "Recompute longer candles from shorter ones and check order, alignment and versions",
    details: "Lists what differs and ends with 1 if something does.", options: [database])

  static let tail = Command(
    "tail", "Print the messages of a daemon's stream",
    options: [
      Option("snapshot", .integer(0...1_000_000), placeholder: "N", default: "0", "Closed candles to begin with"),
      Option("json", .flag, "Print the messages as they come"),
      Option("token", .text, "The token, if the daemon wants one"),
    ],
    arguments: [
      Argument("URL", .streamURL, count: 0...1, "The stream; otherwise ws://127.0.0.1:8787/v1/stream"),
      Argument("TOPIC", .text, count: 0...1_000, "Like candle.M1.BTCUSDT; otherwise candle.*.*"),
    ])

  static let version = Command("version", "Print the version")
}
