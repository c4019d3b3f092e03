extension Invocation {
  /// Reads a command line.
  ///
  /// `--option value` and `--option=value`; `--` ends the options; `-` is an argument. Without a command it is
  /// `Command.defaultName`. `help [COMMAND]`, `--help`, `-h` and `--version` are understood everywhere.
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - commands: those that exist.
  public static func parse(
    _ arguments: [String], commands: [Command] = Command.all
  ) -> Result<Invocation, UsageError> {
    do {
      return .success(try invocation(arguments, commands))
    } catch {
      return .failure(error)
    }
  }

  private static func invocation(_ arguments: [String], _ commands: [Command]) throws(UsageError) -> Invocation {
    let first = arguments.first
    if first == "--help" || first == "-h" || first == "help" {
      let name = arguments.dropFirst().first { !$0.hasPrefix("-") }
      let command = try name.map { name throws(UsageError) in try find(name, commands) }
      let help = command?.help ?? Command.overview(commands)
      return Invocation(command: command ?? Command("help", ""), help: help)
    }
    if first == "--version" { return Invocation(command: try find("version", commands)) }
    guard let first, !first.hasPrefix("-") else {
      return try read(arguments[...], try find(Command.defaultName, commands))
    }
    return try read(arguments.dropFirst(), try find(first, commands))
  }

  private static func find(_ name: String, _ commands: [Command]) throws(UsageError) -> Command {
    if let command = commands.first(where: { $0.name == name }) { return command }
    let names = commands.map(\.name)
    let hint = Spelling.nearest(to: name, in: names).map { "did you mean \($0)?" }
    throw UsageError("unknown command \(Node.quoted(name)); " + (hint ?? "expected " + Spelling.alternatives(names)))
  }

  private static func read(_ words: ArraySlice<String>, _ command: Command) throws(UsageError) -> Invocation {
    var rest = words
    var values: [String: String] = [:]
    var standalone: [String] = []
    while let word = rest.popFirst() {
      if word == "--" {
        standalone += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        standalone.append(word)
        continue
      }
      if word == "--help" || word == "-h" { return Invocation(command: command, help: command.help) }
      let parts = word.dropFirst(word.hasPrefix("--") ? 2 : 1).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let option = try find(option: String(parts[0]), word, command)
      var value = parts.count == 2 ? String(parts[1]) : nil
      if option.kind == .flag {
        guard value == nil else { throw UsageError("--\(option.name) takes no value", command: command.name) }
        value = ""
      } else if value == nil, let next = rest.first, !next.hasPrefix("--") {
        value = rest.popFirst()
      }
      guard let value else {
        throw UsageError("--\(option.name) needs a value; expected \(option.kind.expected)", command: command.name)
      }
      if option.kind != .flag { try check(value, option.kind, "--\(option.name)", command) }
      guard values.updateValue(value, forKey: option.name) == nil else {
        throw UsageError("--\(option.name) is doubled", command: command.name)
      }
    }
    for option in command.options where option.isRequired && values[option.name] == nil {
      throw UsageError("--\(option.name) is missing; expected \(option.kind.expected)", command: command.name)
    }
    return Invocation(command: command, values: values, argumentValues: try assign(standalone, command))
  }

  /// - Parameter word: as it was written, for the message.
  private static func find(option name: String, _ word: String, _ command: Command) throws(UsageError) -> Command.Option
  {
    if word.hasPrefix("--"), let option = command.options.first(where: { $0.name == name }) { return option }
    let shown = word.prefix { $0 != "=" }.prefix(60)
    let hint = Spelling.nearest(to: name, in: command.options.map(\.name)).map { "; did you mean --\($0)?" } ?? ""
    throw UsageError("unknown option \(shown)\(hint)", command: command.name)
  }

  private static func check(
    _ value: String, _ kind: Command.Kind, _ name: String, _ command: Command
  ) throws(UsageError) {
    if kind.accepts(value) { return }
    var hint = ""
    if case .choice(let names) = kind, let near = Spelling.nearest(to: value, in: names) {
      hint = "; did you mean \(near)?"
    }
    throw UsageError("\(name) cannot be \(Node.quoted(value)); expected \(kind.expected)\(hint)", command: command.name)
  }

  /// Gives the words that stand alone to the arguments in their order.
  private static func assign(_ words: [String], _ command: Command) throws(UsageError) -> [String: [String]] {
    var rest = words[...]
    var result: [String: [String]] = [:]
    for argument in command.arguments {
      var taken: [String] = []
      while taken.count < argument.count.upperBound, let word = rest.first {
        if !argument.kind.accepts(word), taken.count >= argument.count.lowerBound { break }
        try check(word, argument.kind, argument.name, command)
        taken.append(word)
        rest.removeFirst()
      }
      guard taken.count >= argument.count.lowerBound else {
        throw UsageError("\(argument.name) is missing; expected \(argument.kind.expected)", command: command.name)
      }
      result[argument.name] = taken
    }
    if let word = rest.first { throw UsageError("unexpected argument \(Node.quoted(word))", command: command.name) }
    return result
  }
}
