// swift-tools-version:6.1
import PackageDescription

let package = Package(
  name: "candled",
  products: [.executable(name: "candled", targets: ["candled"])],
  targets: [
    .systemLibrary(name: "CAllocator"),
    .systemLibrary(name: "CLibwebsockets", pkgConfig: "libwebsockets", providers: [.apt(["libwebsockets-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CYaml", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

    // One instruction, for which Swift has no word.
    .target(name: "CandlePrefetch"),
    .target(name: "CandleCore", dependencies: ["CandlePrefetch"]),
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
    // The live page; `scripts/embed-page` makes it Swift, which needs what `scripts/setup` fetches.
    .plugin(name: "EmbedPage", capability: .buildTool()),
    .target(name: "CandlePage", exclude: ["Web"], plugins: ["EmbedPage"]),
    .executableTarget(
      name: "candled",
      dependencies: [
        "CandleCore", "CandleConfiguration", "CandleIndicators", "CandleWire", "CandleFeeds", "CandleEngine",
        "CandleJournal", "CandleStore", "CandleNet", "CandlePage", "CSystemd", "CAllocator",
      ],
      resources: [.embedInCode("Demo/etheur_20210110.csv")]),
    // Counts allocations by thread; of tests and benchmarks only, since it takes the names of the allocator.
    .target(name: "CAllocationCounter"),
    // Writes the manual pages and the reference of the configuration from their tables.
    .executableTarget(name: "candled-reference", dependencies: ["CandleConfiguration"]),
    // The other side of scripts/test-autobahn; of tests only.
    .executableTarget(name: "candled-echo", dependencies: ["CandleNet"]),
    .executableTarget(name: "candled-simulate", dependencies: ["CandleTestSupport"]),
    .executableTarget(
      name: "candled-journal-bench",
      dependencies: ["CandleCore", "CandleEngine", "CandleJournal", "CAllocationCounter"]),
    .executableTarget(
      name: "candled-bench",
      dependencies: [
        "CandleCore", "CandleIndicators", "CandleWire", "CandleFeeds", "CandleEngine", "CandleStore",
        "CAllocationCounter",
      ]),
    .target(name: "CandleTestSupport", dependencies: ["CandleCore", "CandleIndicators", "CandleEngine"]),

    .testTarget(name: "CandleCoreTests", dependencies: ["CandleCore", "CandleTestSupport"]),
    .testTarget(name: "CandleConfigurationTests", dependencies: ["CandleCore", "CandleConfiguration"]),
    .testTarget(name: "CandleIndicatorsTests", dependencies: ["CandleCore", "CandleIndicators"]),
    .testTarget(name: "CandleWireTests", dependencies: ["CandleCore", "CandleWire", "CandleTestSupport"]),
    .testTarget(
      name: "CandleFeedsTests", dependencies: ["CandleCore", "CandleWire", "CandleFeeds", "CandleTestSupport"]),
    .testTarget(
      name: "CandleEngineTests",
      dependencies: [
        "CandleCore", "CandleIndicators", "CandleWire", "CandleFeeds", "CandleEngine", "CandleTestSupport",
      ]),
    .testTarget(
      name: "AllocationTests",
      dependencies: ["CAllocationCounter", "CandleCore", "CandleWire", "CandleFeeds", "CandleEngine"]),
    .testTarget(name: "HouseTests", dependencies: ["CandleConfiguration"]),
    .testTarget(
      name: "CandleStoreTests", dependencies: ["CandleCore", "CandleMigrations", "CandleStore"]),
    .testTarget(
      name: "CandleJournalTests",
      dependencies: ["CandleCore", "CandleEngine", "CandleJournal", "candled-journal-bench", "CandleTestSupport"]),
    .testTarget(name: "CandleNetTests", dependencies: ["CandleNet"]),
    .testTarget(name: "CandlePageTests", dependencies: ["CandlePage"]),
    .testTarget(name: "SimulationTests", dependencies: ["CandleCore", "CandleEngine", "CandleTestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

// Dynamic checks of exclusive access cost a tenth of the time of a tick; tests run with them.
for target in package.targets where target.type == .regular || target.type == .executable {
  target.swiftSettings = [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]
}
