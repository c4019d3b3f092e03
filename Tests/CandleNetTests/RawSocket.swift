import Glibc

@testable import CandleNet

/// A bare TCP client, for what no well-behaved library sends.
final class RawSocket {
  let descriptor: Int32
  private(set) var leftover: [UInt8] = []

  init(port: Int, receiveBuffer: Int32? = nil) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
    var patience = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  deinit { Glibc.close(descriptor) }

  func write(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  func write(_ text: String) { write(Array(text.utf8)) }

  /// Some bytes; empty at the end of the stream or after 30 s.
  func read(atMost most: Int = 65_536) -> [UInt8] {
    if !leftover.isEmpty {
      defer { leftover = [] }
      return leftover
    }
    var bytes = [UInt8](repeating: 0, count: most)
    let count = recv(descriptor, &bytes, most, 0)
    return count > 0 ? Array(bytes.prefix(count)) : []
  }

  func read(exactly count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let more = read()
      if more.isEmpty { break }
      bytes += more
    }
    leftover = Array(bytes.dropFirst(count))
    return Array(bytes.prefix(count))
  }

  func readHead() -> String {
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      let next = read(exactly: 1)
      if next.isEmpty { break }
      head += next
    }
    return String(decoding: head, as: UTF8.self)
  }

  /// An HTTP answer: head and body by Content-Length.
  func readAnswer(hasBody: Bool = true) -> (head: String, body: [UInt8]) {
    let head = readHead()
    let mark = "content-length: "
    let line = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix(mark) }
    let length = line.flatMap { Int($0.dropFirst(mark.count)) } ?? 0
    return (head, hasBody ? read(exactly: length) : [])
  }

  @discardableResult
  func upgrade(_ path: String = "/", headers: String = "") -> String {
    write(
      "GET \(path) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\(headers)\r\n")
    return readHead()
  }

  /// A client frame, masked.
  static func frame(_ opcode: UInt8, _ payload: [UInt8], final: Bool = true) -> [UInt8] {
    let mask: [UInt8] = [1, 2, 3, 4]
    var bytes = [(final ? 0x80 : 0) | opcode]
    switch payload.count {
    case ..<126: bytes.append(0x80 | UInt8(payload.count))
    case ..<65_536: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    default:
      bytes.append(0x80 | 127)
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8((payload.count >> shift) & 255)) }
    }
    return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
  }

  /// The next server frame.
  func readFrame() -> (opcode: UInt8, payload: [UInt8])? {
    let head = read(exactly: 2)
    guard head.count == 2 else { return nil }
    var length = Int(head[1] & 0x7f)
    if length >= 126 {
      length = read(exactly: length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
    }
    return (head[0] & 15, read(exactly: length))
  }
}

/// A port that answers nobody who dials: its queue holds one connection, which is never taken.
final class SilentListener {
  let port: Int
  private let descriptor: Int32
  private let first: RawSocket

  init() {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, length)
        _ = listen(descriptor, 0)
        _ = getsockname(descriptor, $0, &length)
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    first = RawSocket(port: port)
  }

  deinit { Glibc.close(descriptor) }
}
