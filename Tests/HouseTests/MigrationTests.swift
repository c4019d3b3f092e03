import Foundation
import Testing

@Suite struct MigrationTests {
  private let files = House.names(in: "migrations").filter { $0.hasSuffix(".sql") }.sorted()

  @Test func migrationsAreNumberedWithoutHoles() {
    #expect(!files.isEmpty)
    for (index, name) in files.enumerated() {
      #expect(name.prefix(4) == String(String(10_001 + index).dropFirst()), "\(name)")
      #expect(name.dropFirst(4).first == "_", "\(name)")
    }
  }

  @Test func everyMigrationIsEmbeddedAndListed() throws {
    let package = try House.text("Package.swift")
    let list = try House.text("migrations/Migrations.swift")
    for (index, name) in files.enumerated() {
      #expect(package.contains(".embedInCode(\"\(name)\")"), "\(name)")
      #expect(list.contains("Migration(version: \(index + 1), name: \"\(name.dropLast(4))\","), "\(name)")
    }
    #expect(list.components(separatedBy: "Migration(version:").count - 1 == files.count)
  }
}
