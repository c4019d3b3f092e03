import Glibc
import Testing

@Suite struct AllocationTests {
  /// The program counts the calls of its thread: a few a segment, none an append.
  @Test func anAppendAllocatesNothing() throws {
    let directory = TestDirectory()
    let output = try #require(popen("\(program) allocations \(directory.path)", "r"))
    var line = [CChar](repeating: 0, count: 64)
    _ = fgets(&line, 64, output)
    #expect(pclose(output) == 0)
    let text = String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let count = try #require(Int(text))
    #expect(count < 20)
  }
}
