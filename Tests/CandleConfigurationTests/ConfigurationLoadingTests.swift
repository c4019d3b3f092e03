import CandleConfiguration
import Glibc
import Testing

@Suite struct ConfigurationLoadingTests {
  @Test func withoutAFileEveryKeyIsAtItsDefault() throws {
    #expect(try Configuration.load(path: nil).get() == Configuration())
  }

  @Test func theExplicitFileComesFirstThenTheWorkingFolderThenTheSystems() throws {
    let folder = try Folder()
    let here = folder.write("here.yaml", "database: here.db")
    let system = folder.write("system.yaml", "database: system.db")
    let nowhere = folder.path + "/nowhere.yaml"
    #expect(Configuration.find(explicit: nowhere, places: [here, system]) == nowhere)
    #expect(Configuration.find(explicit: nil, places: [here, system]) == here)
    #expect(Configuration.find(explicit: nil, places: [nowhere, system]) == system)
    #expect(Configuration.find(explicit: nil, places: [nowhere, nowhere + "/x"]) == nil)
    #expect(Configuration.places == ["candled.yaml", "/etc/candled/candled.yaml"])
    #expect(try Configuration.load(path: here).get().database == "here.db")
  }

  @Test func aFileThatCannotBeReadIsAProblem() throws {
    let folder = try Folder()
    for (path, reason) in [(folder.path + "/none", "No such file or directory"), (folder.path, "Is a directory")] {
      guard case .failure(let problems) = Configuration.load(path: path) else {
        Issue.record("accepted")
        continue
      }
      #expect(problems.description == "\(path): cannot be read: \(reason); expected a readable file")
    }
  }

  @Test func aFileLargerThanItsBoundIsRefused() throws {
    guard case .failure(let problems) = Configuration.load(path: "/dev/zero") else {
      Issue.record("accepted")
      return
    }
    #expect(problems.description == "/dev/zero: is too large; expected at most 16MiB")
  }

  @Test func aLongFileIsReadWhole() throws {
    let symbols = (0..<20_000).map { "SYMBOL\($0)" }.joined(separator: ", ")
    let path = try Folder().write("long.yaml", "feeds: [{ name: a, preset: binance, symbols: [\(symbols)] }]")
    #expect(try Configuration.load(path: path).get().feeds[0].symbols.last?.name == "SYMBOL19999")
  }
}

private struct Folder {
  let path: String

  init() throws {
    var template = Array("/tmp/candled-configuration-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
    try #require(made)
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  @discardableResult func write(_ name: String, _ text: String) -> String {
    let file = fopen(path + "/" + name, "w")!
    fputs(text, file)
    fclose(file)
    return path + "/" + name
  }
}
