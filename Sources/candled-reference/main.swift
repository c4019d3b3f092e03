import CandleConfiguration
import Glibc

// Prints what is written from the tables of commands and keys: manual pages, the table of keys, the example.
// usage: candled-reference candled.1|candled.yaml.5 VERSION DATE
//        candled-reference configuration-keys.md|candled.yaml

let words = Array(CommandLine.arguments.dropFirst())
switch (words.first, words.count) {
case ("candled.1", 3): print(Manual.program(version: words[1], date: words[2]), terminator: "")
case ("candled.yaml.5", 3): print(Manual.configuration(version: words[1], date: words[2]), terminator: "")
case ("configuration-keys.md", 1): print(Configuration.reference(), terminator: "")
case ("candled.yaml", 1):
  var configuration = Configuration()
  configuration.database = "/var/lib/candled/candles.db"
  print(Configuration.example(of: configuration), terminator: "")
default:
  let usage =
    "usage: candled-reference candled.1|candled.yaml.5 VERSION DATE\n"
    + "       candled-reference configuration-keys.md|candled.yaml\n"
  write(STDERR_FILENO, usage, usage.utf8.count)
  exit(ExitCode.usage.rawValue)
}
