extension Command {
  /// The list of commands, for `candled --help`.
  public static func overview(_ commands: [Command] = all) -> String {
    let width = commands.map(\.name.count).max() ?? 0
    let lines = commands.map { command in
      let isDefault = command.name == defaultName
      return "  \(padded(command.name, width))  \(command.summary)\(isDefault ? " (without a command)" : "")"
    }
    let codes = ExitCode.allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: ", ")
    return """
      candled: candles from live ticks

      Usage: candled [COMMAND] [OPTION…]

      Commands:
      \(lines.joined(separator: "\n"))

      'candled COMMAND --help' tells more of each.
      Exit codes: \(codes).

      """
  }

  /// For `candled COMMAND --help`.
  public var help: String {
    var text = "\(summary).\n\nUsage: \(usage)\n"
    if !details.isEmpty { text += "\n\(details)\n" }
    if !arguments.isEmpty { text += "\nArguments:\n" + Self.table(arguments.map { ($0.name, $0.meaning) }) }
    var rows = options.map { option -> (String, String) in
      let value = option.kind == .flag ? "" : " \(option.shownPlaceholder)"
      let note = option.isRequired ? " (required)" : option.defaultText.map { " (default \($0))" } ?? ""
      return ("--\(option.name)\(value)", option.meaning + note)
    }
    rows.append(("--help", "Print this"))
    return text + "\nOptions:\n" + Self.table(rows)
  }

  /// How it is called: `candled verify [OPTION…] --db FILE`.
  var usage: String {
    var text = "candled \(name)" + (options.isEmpty ? "" : " [OPTION…]")
    for option in options where option.isRequired { text += " --\(option.name) \(option.shownPlaceholder)" }
    for argument in arguments {
      let many = argument.count.upperBound > 1 ? "…" : ""
      text += argument.count.lowerBound == 0 ? " [\(argument.name)\(many)]" : " \(argument.name)\(many)"
    }
    return text
  }

  private static func table(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { "  \(padded($0.0, width))  \($0.1)\n" }.joined()
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension Command.Option {
  fileprivate var shownPlaceholder: String { placeholder ?? kind.placeholder }
}
