/// Compares tokens in a time that does not tell how much of one was right.
public enum AccessToken {
  /// Whether one of the tokens is offered.
  /// - Parameters:
  ///   - authorization: the header `Authorization`; with the scheme `Bearer` it goes before the parameter.
  ///   - parameter: of the query.
  public static func isGranted(_ tokens: [String], authorization: String?, parameter: String?) -> Bool {
    var offered = parameter
    if let authorization, authorization.lowercased().hasPrefix("bearer ") {
      offered = String(authorization.dropFirst(7))
    }
    guard let offered else { return false }
    var granted = false
    for token in tokens where isEqual(token, offered) { granted = true }
    return granted
  }

  private static func isEqual(_ a: String, _ b: String) -> Bool {
    let x = Array(a.utf8)
    let y = Array(b.utf8)
    var difference = UInt8(x.count == y.count ? 0 : 1)
    for index in x.indices { difference |= x[index] ^ (index < y.count ? y[index] : 0) }
    return difference == 0
  }
}
