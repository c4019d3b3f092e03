// swift-tools-version:6.1
import PackageDescription

let package = Package(
  name: "candled",
  targets: [
    .target(name: "CandleCore"),
    .target(name: "CandleWire", dependencies: ["CandleCore"]),
    .target(name: "CandleFeeds", dependencies: ["CandleCore", "CandleWire"]),
    .target(name: "CandleEngine", dependencies: ["CandleCore", "CandleWire", "CandleFeeds"]),
    .testTarget(name: "CandleFeedsTests", dependencies: ["CandleCore", "CandleFeeds"]),
    .target(name: "CandleTestSupport", dependencies: ["CandleCore", "CandleEngine"]),
    .testTarget(name: "SimulationTests", dependencies: ["CandleCore", "CandleEngine", "CandleTestSupport"]),
    .testTarget(name: "CandleCoreTests", dependencies: ["CandleCore"]),
  ],
  swiftLanguageModes: [.v6]
)
