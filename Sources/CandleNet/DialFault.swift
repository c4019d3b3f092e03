import CLibwebsockets
import Glibc

/// Why a dial failed, read from the library's words: it gives no codes.
struct DialFault {
  let cause: NetError.Cause
  let detail: String
  /// Another address of the same name may do better.
  let isOfAddress: Bool

  init(detail: String, status: Int, dial: Dial) {
    let text = detail.lowercased()
    if let fault = dial.certificateFault {
      let isName = fault.code == X509_V_ERR_HOSTNAME_MISMATCH || fault.code == X509_V_ERR_IP_ADDRESS_MISMATCH
      self.init(isName ? .wrongHost : .untrusted, fault.text)
    } else if detail.hasPrefix("HS:") {
      self.init(status > 0 && status != 101 ? .rejected(status: status) : .closedByPeer, detail)
    } else if text.contains("timed out") || text.contains("timeout") {
      self.init(.timedOut, detail, isOfAddress: true)
    } else if text.contains("ssl") || text.contains("tls") {
      self.init(.tls, detail)
    } else if text.contains("unable to connect") || !dial.isRequestSent {
      if let code = Self.routeFault(dial.address, dial.url.port) {
        self.init(.unreachable, "\(dial.address): \(systemMessage(code))", isOfAddress: true)
      } else {
        self.init(.refused, "\(dial.address) does not take the connection", isOfAddress: true)
      }
    } else {
      self.init(.closedByPeer, detail)
    }
  }

  private init(_ cause: NetError.Cause, _ detail: String, isOfAddress: Bool = false) {
    self.cause = cause
    self.detail = detail
    self.isOfAddress = isOfAddress
  }

  /// The library reads the socket's error and drops it. Connecting a datagram socket sends nothing, and says whether there is a
  /// route at all: with one, the peer refused.
  private static func routeFault(_ address: String, _ port: Int) -> Int32? {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, String(port), &hints, &found) == 0, let target = found else { return EADDRNOTAVAIL }
    defer { freeaddrinfo(found) }
    let probe = socket(target.pointee.ai_family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard probe >= 0 else { return errno }
    defer { Glibc.close(probe) }
    return Glibc.connect(probe, target.pointee.ai_addr, target.pointee.ai_addrlen) == 0 ? nil : errno
  }
}
