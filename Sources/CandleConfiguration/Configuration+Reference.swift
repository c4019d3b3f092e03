extension Configuration {
  /// Every key with its form, default and meaning, as a Markdown table.
  public static func reference() -> String {
    var text = "| key | value | default | meaning |\n| --- | --- | --- | --- |\n"
    for key in keys {
      let defaultText = key.isRequired ? "required" : key.defaultText.map { "`\($0)`" } ?? ""
      let cells = ["`\(key.path)`", key.type, defaultText, key.meaning]
      text += "| " + cells.map(escaped).joined(separator: " | ") + " |\n"
    }
    return text
  }

  /// A file that says what a configuration says, every key with a comment; of the defaults, an example to begin with.
  ///
  /// Reading it gives the same configuration. It holds the tokens of the configuration, as the file it came from did.
  public static func example(of configuration: Configuration = Configuration()) -> String {
    let isDefault = configuration == Configuration()
    var lines = [
      "# Configuration of candled. Every key may be left out"
        + (isDefault ? "; the values here are the ones it has then." : "."),
      "# Durations: 500ms, 1s, 5m, 2h, 90d. Sizes: 64KiB, 4MiB, 1GiB.",
      "# `candled check` says what is wrong with this file.",
      "",
    ]
    lines += section.lines(configuration, indent: 0)
    if configuration.feeds.isEmpty { lines += feedExamples }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A bar would end the cell.
  private static func escaped(_ cell: String) -> String {
    cell.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }

  private static let feedExamples = [
    "#  - { name: binance, preset: binance, symbols: [BTCUSDT, ETHUSDT] }",
    "#  - { name: local, url: \"ws://127.0.0.1:9001/ticks\", format: csv, symbol: BTCUSDT }",
  ]
}
