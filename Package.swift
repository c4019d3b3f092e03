// swift-tools-version:6.1
import PackageDescription

let package = Package(
  name: "candled",
  targets: [
    .target(name: "CandleCore"),
    .target(name: "CandleEngine", dependencies: ["CandleCore"]),
    .target(name: "CandleTestSupport", dependencies: ["CandleCore", "CandleEngine"]),
    .testTarget(name: "SimulationTests", dependencies: ["CandleCore", "CandleEngine", "CandleTestSupport"]),
    .testTarget(name: "CandleCoreTests", dependencies: ["CandleCore"]),
  ],
  swiftLanguageModes: [.v6]
)
