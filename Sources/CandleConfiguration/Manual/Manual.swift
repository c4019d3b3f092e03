/// The manual pages, from the tables that parsing and help come from.
public enum Manual {
  /// - Parameters:
  ///   - version: of the program.
  ///   - date: of the page, year-month-day.
  public static func program(version: String, date: String, commands: [Command] = Command.all) -> String {
    var page = Roff("CANDLED", section: 1, date: date, source: "candled \(version)")
    page.section("NAME")
    page.paragraph("candled - make candles from live ticks and publish them")
    page.section("SYNOPSIS")
    for command in commands { page.paragraph(command.usage) }
    page.section("DESCRIPTION")
    page.paragraph(
      """
      candled takes ticks from exchanges and producers over WebSocket, settles candles the moment they end, computes
      indicators, stores everything in SQLite and publishes forming and closed candles over WebSocket and HTTP.
      Without a command it runs the daemon.
      """)
    page.section("COMMANDS")
    for command in commands { write(command, to: &page) }
    page.section("EXIT STATUS")
    for code in ExitCode.allCases { page.term("\(code.rawValue)", code.meaning) }
    page.section("SIGNALS")
    page.term(
      "SIGTERM, SIGINT",
      "Stop the feeds, store and publish what is settled, close the sockets and end with 0. A second"
        + " one ends at once.")
    page.term(
      "SIGHUP",
      "Read the configuration again. An invalid one is refused whole. Feeds that did not change keep their"
        + " sockets, subscribers keep theirs.")
    page.section("FILES")
    page.term("/etc/candled/candled.yaml", "The configuration; one in the working folder comes first.")
    page.term("/var/lib/candled/candles.db", "The database, where the service keeps it.")
    page.term("/var/lib/candled/candles.db.journal", "The journal of accepted ticks.")
    page.section("ENVIRONMENT")
    page.term("NOTIFY_SOCKET, WATCHDOG_USEC", "Set by the service manager, see sd_notify(3).")
    page.term("JOURNAL_STREAM", "Set by the service manager; log lines then begin with their priority.")
    page.section("SEE ALSO")
    page.paragraph("candled.yaml(5), sqlite3(1), systemctl(1), journalctl(1)")
    return page.text
  }

  public static func configuration(version: String, date: String) -> String {
    var page = Roff("CANDLED.YAML", section: 5, date: date, source: "candled \(version)")
    page.section("NAME")
    page.paragraph("candled.yaml - configuration of candled")
    page.section("DESCRIPTION")
    page.paragraph(
      """
      The file is YAML, so JSON is accepted too. It is named with --config, else it is candled.yaml in the working
      folder, else /etc/candled/candled.yaml; no file at all is valid, since every key has a default.
      """)
    page.paragraph(
      """
      Durations are written 500ms, 1s, 5m, 2h, 90d; sizes 64KiB, 4MiB, 1GiB.
      A wrong value, an unknown or a doubled key is an error with file, line, the path of the key and what was expected;
      "candled check" prints all of them.
      """)
    page.paragraph("In a path, [] stands for each entry of a list.")
    page.section("KEYS")
    for key in Configuration.keys {
      let value = key.isRequired ? "required" : key.defaultText.map { "default \($0)" }
      page.term(key.path, note: [key.type, value].compactMap { $0 }.joined(separator: "; "), key.meaning + ".")
    }
    page.section("EXAMPLE")
    page.verbatim(
      """
      listen: 127.0.0.1:8787
      database: candles.db
      timeframes: [M1, M5, M15]
      feeds:
        - { name: local, url: "ws://127.0.0.1:9001/ticks", symbol: BTCUSDT }
      """)
    page.section("SEE ALSO")
    page.paragraph("candled(1)")
    return page.text
  }

  private static func write(_ command: Command, to page: inout Roff) {
    page.subsection(command.usage)
    page.paragraph(command.summary + "." + (command.details.isEmpty ? "" : "\n" + command.details))
    for argument in command.arguments { page.term(argument.name, argument.meaning + ".") }
    for option in command.options {
      let value = option.kind == .flag ? "" : option.placeholder ?? option.kind.placeholder
      let more = option.isRequired ? " (required)" : option.defaultText.map { " (default \($0))" } ?? ""
      page.term("--\(option.name)", note: value, option.meaning + more + ".")
    }
  }
}
