/// One step of the schema, applied once and recorded in `schema_migrations`.
public struct Migration: Sendable, Equatable {
  /// Position in the sequence, from 1 without holes.
  public let version: Int
  /// Name of the file without its ending.
  public let name: String
  /// Statements, separated by `;`.
  public let sql: String

  public init(version: Int, name: String, sql: String) {
    self.version = version
    self.name = name
    self.sql = sql
  }
}

/// The schema, embedded in the binary. A released step never changes: what is new gets a new file and a line here.
public enum Migrations {
  public static let all: [Migration] = [
    Migration(version: 1, name: "0001_candles", sql: text(PackageResources._001_candles_sql)),
    Migration(version: 2, name: "0002_gaps", sql: text(PackageResources._002_gaps_sql)),
  ]

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
