import Foundation
import Testing

@Suite struct WallTests {
  @Test func theSourcesAreFound() {
    #expect(House.sources.count > 100 && House.pure.isSubset(of: Set(House.sources.map(\.room))))
  }

  /// Which of our modules each may import.
  private static let arrows: [String: Set<String>] = [
    "CandleCore": ["CandlePrefetch"], "CandleIndicators": ["CandleCore"], "CandleWire": ["CandleCore"],
    "CandleFeeds": ["CandleCore", "CandleWire"],
    "CandleEngine": ["CandleCore", "CandleIndicators", "CandleWire", "CandleFeeds"],
    "CandleStore": ["CandleCore", "CandleMigrations"], "CandleNet": [],
    "CandleJournal": ["CandleCore", "CandleEngine"], "CandleConfiguration": ["CandleCore"], "CandlePage": [],
    "CandleTestSupport": ["CandleCore", "CandleIndicators", "CandleWire", "CandleFeeds", "CandleEngine"],
  ]

  @Test func theArrowsPointInward() {
    for file in House.sources {
      guard let allowed = Self.arrows[file.room] else { continue }
      for module in file.imports where module.hasPrefix("Candle") {
        #expect(allowed.contains(module), "\(file.path) imports \(module)")
      }
    }
  }

  @Test(arguments: [
    ("CSQLite", "CandleStore"), ("CLibwebsockets", "CandleNet"), ("CSystemd", "candled"),
    ("CYaml", "CandleConfiguration"), ("CAllocator", "candled"),
  ])
  func aCLibraryHasOneImporter(library: String, importer: String) {
    let importers = Set(House.sources.filter { $0.imports.contains(library) }.map(\.room))
    #expect(importers == [importer])
  }

  @Test func pureModulesImportNothingOfTheSystem() {
    for file in House.sources where House.pure.contains(file.room) {
      for module in file.imports { #expect(module.hasPrefix("Candle"), "\(file.path) imports \(module)") }
    }
  }

  @Test(arguments: [
    #"\bTask\b"#, #"\bThread\b"#, #"\bprint\("#, #"\bDate\("#, "clock_gettime", #"\bawait\b"#, #"\bMutex\b"#,
    #"\bDispatchQueue\b"#,
    #"\bContinuousClock\b"#, #"\bSystemRandomNumberGenerator\b"#,
  ])
  func pureModulesHaveNoClockThreadOrOutput(pattern: String) throws {
    let expression = try NSRegularExpression(pattern: pattern)
    for file in House.sources where House.pure.contains(file.room) {
      let code = file.code
      let found = expression.firstMatch(in: code, range: NSRange(code.startIndex..., in: code))
      #expect(found == nil, "\(pattern) in \(file.path)")
    }
  }

  @Test func noSourceFileHasMoreThan400Lines() {
    for file in House.sources { #expect(file.lines.count <= 401, "\(file.path) has \(file.lines.count) lines") }
  }

  @Test func everySourceFileHasAName() {
    for file in House.sources {
      for word in ["Util", "Manager", "Helper"] { #expect(!file.path.contains(word), "\(file.path)") }
    }
  }
}
