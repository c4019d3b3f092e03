import CandleConfiguration
import Testing

@Suite struct ConfigurationReferenceTests {
  @Test func theExampleIsTheDefaults() {
    #expect(read(Configuration.example()) == Configuration())
  }

  @Test(arguments: [contractExample, fullExample]) func aWrittenConfigurationIsReadBackTheSame(text: String) {
    let configuration = read(text)
    #expect(read(Configuration.example(of: configuration)) == configuration)
  }

  @Test func theExampleShowsEveryDefaultOfTheTable() {
    let example = Configuration.example()
    for key in Configuration.keys where !key.path.contains("[]") {
      let name = key.path.split(separator: ".").last!
      #expect(example.contains("\(name):\(key.defaultText.map { " " + $0 } ?? "")"), "\(key.path)")
    }
  }

  @Test func everyPropertyOfTheStructIsInTheTable() {
    let paths = Set(Configuration.keys.map(\.path))
    var found: Set<String> = []
    collect(read(fullExample), "", &found)
    #expect(found.count > 80)
    #expect(found.subtracting(paths) == [])
    // A single symbol is another way to write the property `symbols`.
    #expect(paths.subtracting(found) == ["feeds[].symbol"])
  }

  @Test func theReferenceHasALineForEachKey() {
    let lines = Configuration.reference().split(separator: "\n")
    #expect(lines.count == Configuration.keys.count + 2)
    #expect(
      lines.contains(
        "| `settlement.grace` | duration, 0 to 10m | `1s` | How long after a boundary the clock waits for a tick |"))
    for line in lines { #expect(line.replacing("\\|", with: "").filter { $0 == "|" }.count == 5, "\(line)") }
  }

  /// The paths of the properties, in the spelling of the file.
  private func collect(_ value: Any, _ path: String, _ found: inout Set<String>) {
    let leaves: [Any.Type] = [
      Configuration.Listen.self, FieldPath.self, Secret.self, Configuration.Indicators.Boll.self,
      Configuration.Indicators.MACD.self, Configuration.Indicators.KDJ.self,
    ]
    if leaves.contains(where: { $0 == type(of: value) }) { return }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .struct:
      for (label, child) in mirror.children {
        guard let label, label != "_value" else { continue }
        let place = path.isEmpty ? snake(label) : "\(path).\(snake(label))"
        found.insert(place)
        collect(child, place, &found)
      }
    case .optional: for (_, child) in mirror.children { collect(child, path, &found) }
    case .collection: for (_, child) in mirror.children { collect(child, path + "[]", &found) }
    default: break
    }
  }

  private func snake(_ label: String) -> String {
    label.reduce(into: "") { text, letter in text += letter.isUppercase ? "_" + letter.lowercased() : String(letter) }
  }
}
