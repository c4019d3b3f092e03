/// XXH64, seeded: a fast 64-bit checksum (not a cryptographic one).
///
/// The algorithm is that of https://github.com/Cyan4973/xxHash (doc/xxhash_spec.md, "XXH64 algorithm description").
public enum JournalChecksum {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// The checksum of `count` bytes from `start` on.
  public static func of(_ start: UnsafeRawPointer, count: Int, seed: UInt64) -> UInt64 {
    var at = start
    let end = start + count
    var hash: UInt64
    if count >= 32 {
      var lane1 = seed &+ prime1 &+ prime2
      var lane2 = seed &+ prime2
      var lane3 = seed
      var lane4 = seed &- prime1
      repeat {
        lane1 = round(lane1, word(at))
        lane2 = round(lane2, word(at + 8))
        lane3 = round(lane3, word(at + 16))
        lane4 = round(lane4, word(at + 24))
        at += 32
      } while end - at >= 32
      hash = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
      hash = merge(hash, lane1)
      hash = merge(hash, lane2)
      hash = merge(hash, lane3)
      hash = merge(hash, lane4)
    } else {
      hash = seed &+ prime5
    }
    hash &+= UInt64(truncatingIfNeeded: count)
    while end - at >= 8 {
      hash = rotate(hash ^ round(0, word(at)), 27) &* prime1 &+ prime4
      at += 8
    }
    if end - at >= 4 {
      let half = UInt64(UInt32(littleEndian: at.loadUnaligned(as: UInt32.self)))
      hash = rotate(hash ^ (half &* prime1), 23) &* prime2 &+ prime3
      at += 4
    }
    while at < end {
      hash = rotate(hash ^ (UInt64(at.load(as: UInt8.self)) &* prime5), 11) &* prime1
      at += 1
    }
    hash = (hash ^ (hash >> 33)) &* prime2
    hash = (hash ^ (hash >> 29)) &* prime3
    return hash ^ (hash >> 32)
  }

  @inline(__always) private static func word(_ at: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: at.loadUnaligned(as: UInt64.self))
  }

  @inline(__always) private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value &<< bits | value &>> (64 &- bits)
  }

  @inline(__always) private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotate(lane &+ input &* prime2, 31) &* prime1
  }

  @inline(__always) private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* prime1 &+ prime4
  }
}
