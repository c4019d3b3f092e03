import CandleCore
import CandleStore
import Foundation
import Testing

/// On a real file system of four megabytes, where this user may mount one.
@Suite struct FullDiskTests {
  @Test(.enabled(if: SmallDisk.isPossible))
  func whatDoesNotFitIsWrittenWhenThereIsRoom() throws {
    let disk = try SmallDisk()
    let failures = Collected<StoreFailure>()
    var options = StoreOptions()
    options.retryMilliseconds = (5, 50)
    let store = try CandleStore.open(path: disk.database, options: options, onFailure: { failures.add($0) })
    let filler = disk.directory + "/filler"
    try disk.run("dd if=/dev/zero of=\(filler) bs=4k; true")
    for index in 0..<20 {
      store.submit(
        batch(
          (0..<200).map { row(0, index * 200 + $0, version: Int64(index * 200 + $0) + 1) },
          symbols: index == 0 ? [(0, "X")] : []))
    }
    #expect(failures.wait { $0.count >= 3 })
    #expect(failures.all.first?.error.short == "full")
    #expect(store.pendingBatches > 0)
    try FileManager.default.removeItem(atPath: filler)
    #expect(store.close() == 0)
    #expect(
      try shell(disk.database, "SELECT count(*), max(version) FROM candles; PRAGMA integrity_check") == "4000|4000\nok")
  }
}

/// A `tmpfs` of four megabytes.
final class SmallDisk {
  let directory: String
  var database: String { directory + "/candles.db" }

  static let isPossible: Bool = (try? SmallDisk()) != nil

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("small-disk-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try run("mount -t tmpfs -o size=4m tmpfs \(directory)")
  }

  deinit {
    try? run("umount -l \(directory)")
    rmdir(directory)
  }

  func run(_ command: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      rmdir(directory)
      throw CocoaError(.fileWriteUnknown)
    }
  }
}
