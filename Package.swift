// swift-tools-version:6.1
import PackageDescription

let package = Package(
  name: "candled",
  targets: [
    .target(name: "CandleCore"),
    .testTarget(name: "CandleCoreTests", dependencies: ["CandleCore"]),
  ],
  swiftLanguageModes: [.v6]
)
