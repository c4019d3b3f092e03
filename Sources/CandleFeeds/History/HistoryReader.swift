import CandleCore

/// Judges rows one by one and gathers those that were asked for.
struct HistoryReader {
  let timeframe: Timeframe
  let asked: Range<Milliseconds>
  /// nil = rows of any symbol are taken.
  let symbol: String?
  var unit: TimestampUnit
  private(set) var answer = HistoryAnswer()
  /// Whether any row had a time, so that the text is what it is taken for.
  private(set) var sawTime = false
  /// False once a row came that is not later than the one before.
  private var isSorted = true

  init(timeframe: Timeframe, asked: Range<Milliseconds>, symbol: String?, unit: TimestampUnit) {
    self.timeframe = timeframe
    self.asked = asked
    self.symbol = symbol
    self.unit = unit
  }

  mutating func refuse(_ row: UnsafeRawBufferPointer, _ reason: HistoryRefusal.Reason) { answer.refuse(row, reason) }

  mutating func nextPage(from time: Milliseconds?) { answer.next = time }

  /// - Parameter text: the row as it stands in the body.
  mutating func take(_ fields: HistoryFields, text: UnsafeRawBufferPointer) {
    for (column, _) in HistoryColumn.required where fields[column] == nil { return refuse(text, .malformed) }
    guard let time = time(fields[.openTime]) else { return refuse(text, .notANumber) }
    sawTime = true
    // OKX says 0 where a candle is not confirmed.
    if let state = fields[.state], state.isWord("forming") || state.isWord("0") {
      answer.forming += 1
      return
    }
    let openTime = time.milliseconds
    guard asked.contains(openTime), isAskedSymbol(fields[.symbol]) else {
      answer.outside += 1
      return
    }
    guard time.nanoseconds % 1_000_000 == 0, timeframe.openTime(of: openTime) == openTime,
      isOfTimeframe(fields, openTime)
    else { return refuse(text, .unaligned) }
    switch HistoryNumbers.read(fields) {
    case .failure(let reason): refuse(text, reason)
    case .success(let numbers):
      var row = numbers
      row.openTime = openTime
      if let complete = fields[.complete] { row.complete = !(complete.isWord("false") || complete.isWord("0")) }
      if let last = answer.rows.last, last.openTime >= openTime { isSorted = false }
      answer.rows.append(row)
    }
  }

  /// Milliseconds have at most 14 digits, so more are a finer unit.
  private func time(_ text: UnsafeRawBufferPointer?) -> Timestamp? {
    guard let text else { return nil }
    let digits = text.firstIndex { $0 &- 48 >= 10 } ?? text.count
    return Timestamp.scan(moment: text, unit: unit == .milliseconds && digits > 14 ? .auto : unit)
  }

  private func isAskedSymbol(_ name: UnsafeRawBufferPointer?) -> Bool {
    guard let name, let symbol else { return true }
    // No symbol has a backslash: it is an escaped slash.
    return symbol.utf8.elementsEqual(name.lazy.filter { $0 != UInt8(ascii: "\\") })
  }

  /// A candle of another length may begin on a boundary of this one, so what a row says of its length counts too.
  private func isOfTimeframe(_ fields: HistoryFields, _ openTime: Milliseconds) -> Bool {
    if let name = fields[.timeframe], !timeframe.name.utf8.elementsEqual(name) { return false }
    guard fields[.closeTime] != nil else { return true }
    guard let last = time(fields[.closeTime])?.milliseconds else { return false }
    let length = last - openTime
    return length == timeframe.interval - 1 || length == timeframe.interval
  }

  /// What has come, sorted, each time once.
  consuming func finish() -> HistoryAnswer {
    var result = answer
    if !isSorted {
      let rows = result.rows
      // The place in the body decides between equal times: the last one wins.
      let order = rows.indices.sorted { (rows[$0].openTime, $0) < (rows[$1].openTime, $1) }
      result.rows.removeAll(keepingCapacity: true)
      for index in order {
        if result.rows.last?.openTime == rows[index].openTime {
          result.rows[result.rows.count - 1] = rows[index]
          result.doubled += 1
        } else {
          result.rows.append(rows[index])
        }
      }
    }
    return result
  }
}

extension HistoryRefusal.Reason: Error {}
