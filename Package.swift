// swift-tools-version:6.1
import PackageDescription

let package = Package(
  name: "candled",
  products: [.executable(name: "candled", targets: ["candled"])],
  targets: [
    .systemLibrary(name: "CLibwebsockets", pkgConfig: "libwebsockets", providers: [.apt(["libwebsockets-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CYaml", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

    .target(name: "CandleCore"),
    .target(name: "CandleConfiguration", dependencies: ["CandleCore", "CYaml"]),
    .target(name: "CandleIndicators", dependencies: ["CandleCore"], linkerSettings: [.linkedLibrary("m")]),
    .target(name: "CandleWire", dependencies: ["CandleCore"], linkerSettings: [.linkedLibrary("m")]),
    .target(name: "CandleFeeds", dependencies: ["CandleCore", "CandleWire"]),
    .target(name: "CandleEngine", dependencies: ["CandleCore", "CandleIndicators", "CandleWire", "CandleFeeds"]),
    .target(
      name: "CandleMigrations", path: "migrations",
      resources: [.embedInCode("0001_candles.sql"), .embedInCode("0002_gaps.sql")]),
    .target(name: "CandleStore", dependencies: ["CandleCore", "CandleMigrations", "CSQLite"]),
    .target(name: "CandleJournal", dependencies: ["CandleCore", "CandleEngine"]),
    .target(name: "CandleNet", dependencies: ["CLibwebsockets"]),
    .executableTarget(
      name: "candled",
      dependencies: [
        "CandleCore", "CandleConfiguration", "CandleIndicators", "CandleWire", "CandleFeeds", "CandleEngine",
        "CandleJournal", "CandleStore", "CandleNet", "CSystemd",
      ],
      resources: [.embedInCode("Demo/etheur_20210110.csv")]),
    .target(name: "CMallocCount"),
    .executableTarget(name: "candled-simulate", dependencies: ["CandleTestSupport"]),
    .executableTarget(
      name: "candled-journal-bench", dependencies: ["CandleCore", "CandleEngine", "CandleJournal", "CMallocCount"]),
    .executableTarget(
      name: "candled-bench",
      dependencies: [
        "CandleCore", "CandleIndicators", "CandleWire", "CandleFeeds", "CandleEngine", "CandleStore", "CMallocCount",
      ]),
    .target(name: "CandleTestSupport", dependencies: ["CandleCore", "CandleIndicators", "CandleEngine"]),

    .testTarget(name: "CandleCoreTests", dependencies: ["CandleCore"]),
    .testTarget(name: "CandleConfigurationTests", dependencies: ["CandleCore", "CandleConfiguration"]),
    .testTarget(name: "CandleIndicatorsTests", dependencies: ["CandleCore", "CandleIndicators"]),
    .testTarget(
      name: "CandleFeedsTests", dependencies: ["CandleCore", "CandleWire", "CandleFeeds", "CandleTestSupport"]),
    .testTarget(
      name: "CandleStoreTests", dependencies: ["CandleCore", "CandleMigrations", "CandleStore"]),
    .testTarget(name: "CandleEngineTests", dependencies: ["CandleCore", "CandleEngine"]),
    .testTarget(
      name: "CandleJournalTests",
      dependencies: ["CandleCore", "CandleEngine", "CandleJournal", "candled-journal-bench"]),
    .testTarget(name: "CandleNetTests", dependencies: ["CandleNet"]),
    .testTarget(name: "SimulationTests", dependencies: ["CandleCore", "CandleEngine", "CandleTestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

// Dynamic checks of exclusive access cost a tenth of the time of a tick; tests run with them.
for target in package.targets where target.type == .regular || target.type == .executable {
  target.swiftSettings = [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]
}
