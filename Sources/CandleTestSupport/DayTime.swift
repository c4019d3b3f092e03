import CandleCore

/// Times of a made-up Wednesday, 2023-11-15 UTC, written as one says them: `10:00`, `10:00:58`, `10:00:58.25`; with the
/// day of the month in front for another day: `20 00:00`.
public enum DayTime {
  public static let midnight: Milliseconds = 1_700_006_400_000

  public static func milliseconds(_ text: String) -> Milliseconds { nanoseconds(text) / 1_000_000 }

  public static func nanoseconds(_ text: String) -> Int64 {
    let words = text.split(separator: " ")
    let parts = words.last!.split(separator: ":")
    let seconds = parts.count > 2 ? parts[2].split(separator: ".") : ["0"]
    let fraction = seconds.count > 1 ? Int64((seconds[1] + "000000000").prefix(9))! : 0
    let days = words.count > 1 ? Int64(words[0])! - 15 : 0
    let second = days * 86_400 + Int64(parts[0])! * 3_600 + Int64(parts[1])! * 60 + Int64(seconds[0])!
    return midnight * 1_000_000 + second * 1_000_000_000 + fraction
  }

  public static func text(_ time: Milliseconds) -> String {
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let milliseconds = time - midnight
    let seconds = milliseconds / 1_000
    let days = seconds / 86_400
    var text = (days == 0 ? "" : "\(15 + days) ") + "\(two(seconds / 3_600 % 24)):\(two(seconds / 60 % 60))"
    if milliseconds % 60_000 != 0 { text += ":" + two(seconds % 60) }
    if milliseconds % 1_000 != 0 { text += "." + String(1_000 + milliseconds % 1_000).dropFirst() }
    return text
  }
}

extension CandleContent {
  /// `open/high/low/close v… n…`
  public var summary: String { "\(open)/\(high)/\(low)/\(close) v\(volume) n\(ticks.map(String.init) ?? "?")" }
}
