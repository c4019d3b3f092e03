import CandleCore
import CandleFeeds
import Testing

@Suite struct HistoryRefusalTests {
  /// time, open, high, low, close, volume
  static let bad: [(String, HistoryRefusal.Reason)] = [
    ("1700000041000,1,2,0.5,1,1", .unaligned), ("1700000040000.5,1,2,0.5,1,1", .unaligned),
    ("1700000040001,nan,2,0.5,1,1", .unaligned), ("x,1,2,0.5,1,1", .notANumber), (",1,2,0.5,1,1", .notANumber),
    ("-1700000040000,1,2,0.5,1,1", .notANumber), ("1700000040000,NaN,2,0.5,1,1", .notANumber),
    ("1700000040000,1,Infinity,0.5,1,1", .notANumber), ("1700000040000,1,2,-inf,1,1", .notANumber),
    ("1700000040000,1,2,0.5,,1", .notANumber), ("1700000040000,1,2,0.5,1,z", .notANumber),
    ("1700000040000,1,2,0.5,1.0000000000000000001,1", .precision), ("1700000040000,1,1e18,0.5,1,1", .precision),
    ("1700000040000,1,2,0.5,1,1e-19", .precision), ("1700000040000,1,2,0.5,1,1e38", .precision),
    ("1700000040000,1,0.5,2,1,1", .badRange), ("1700000040000,3,2,0.5,1,1", .badRange),
    ("1700000040000,1,2,0.5,0.4,1", .badRange), ("1700000040000,1,2,0.5,1,-1", .badRange),
    ("1700000040000,1e-19,2,nan,1,1", .notANumber), ("1700000040000,1,2,0.5", .malformed),
  ]

  @Test(arguments: bad) func inEveryFormatWithoutHarmToTheOthers(row: String, reason: HistoryRefusal.Reason) throws {
    let good = "1700000100000,1,2,0.5,1,1"
    let rows = [good, row, "1700000160000,1,2,0.5,1,1"]
    func array(_ row: String) -> String {
      let fields = row.split(separator: ",", omittingEmptySubsequences: false)
      return "[" + fields.map { $0.first?.isLetter == true || $0.isEmpty ? "\"\($0)\"" : $0 }.joined(separator: ",")
        + "]"
    }
    func object(_ row: String) -> String {
      let names = ["open_time", "open", "high", "low", "close", "volume"]
      let fields = row.split(separator: ",", omittingEmptySubsequences: false)
      return "{" + zip(names, fields).map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
    }
    func zxkline(_ row: String) -> String {
      let fields = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 6 else { return row }
      let time = fields[0].hasPrefix("17") ? String(fields[0].dropLast(fields[0].contains(".") ? 5 : 3)) : fields[0]
      // What is left of the milliseconds goes behind the point.
      let rest = fields[0].dropFirst(time.count)
      let seconds = time + (rest.isEmpty ? "" : "." + rest.filter(\.isNumber))
      return [seconds, fields[4], fields[1], fields[2], fields[3], fields[5]].joined(separator: ",")
    }
    let answers = [
      read(file: .csv, rows.joined(separator: "\n")),
      read(file: .csv, "timestamp,open,high,low,close,volume\r\n" + rows.joined(separator: "\r\n")),
      read(file: .binance, rows.joined(separator: "\n")),
      read(.binance, "[" + rows.map(array).joined(separator: ",") + "]"),
      read(.candled, #"{"candles":["# + rows.map(object).joined(separator: ",") + "]}"),
      read(file: .json, rows.map(object).joined(separator: "\n")),
      read(.zxkline, "[" + rows.map { "\"\(zxkline($0))\"" }.joined(separator: ",") + "]"),
      read(file: .zxkline, rows.map(zxkline).joined(separator: "\n")),
    ]
    for (index, result) in answers.enumerated() {
      let answer = try result.get()
      #expect(answer.rows.map(\.openTime) == [minute + 60_000, minute + 120_000], "answer \(index)")
      #expect(answer.refusals.map(\.reason) == [reason], "answer \(index)")
      #expect(answer.refused == 1 && answer.refused(reason) == 1, "answer \(index)")
    }
  }

  @Test func bareNaNAsSomeWritersSendIt() throws {
    let body = "[[1700000040000,NaN,2,1,1,1],[1700000100000,1,2,1,-Infinity,1],[1700000160000,1,2,1,1,1]]"
    let answer = try read(.binance, body).get()
    #expect(answer.refusals.map(\.reason) == [.notANumber, .notANumber])
    #expect(answer.refusals[0].text == "[1700000040000,NaN,2,1,1,1]")
    #expect(answer.rows.map(\.openTime) == [minute + 120_000])
  }

  @Test func aCandleOfAnotherLengthIsUnaligned() throws {
    let hour = #"[[1699999200000,"1","2","1","1","1",1700002799999,"1",1,"1","1","0"]]"#
    #expect(try read(.binance, hour).get().refusals.map(\.reason) == [.unaligned])
    #expect(try read(.binance, hour, timeframe: .H1).get().rows.count == 1)
    let object = #"[{"timeframe":"H1","open_time":1699999200000,"open":1,"high":2,"low":1,"close":1}]"#
    #expect(try read(file: .json, object).get().refusals.map(\.reason) == [.unaligned])
    // A week begins on Monday.
    let thursday = "0,1,1,1,1,1\n345600000,1,1,1,1,1"
    let weeks = try read(file: .csv, "open_ms,open,high,low,close,volume\n" + thursday, timeframe: .W1).get()
    #expect(weeks.rows.map(\.openTime) == [345_600_000])
    #expect(weeks.refusals.map(\.reason) == [.unaligned])
  }

  @Test func otherThingsBetweenTheRowsAreMalformed() throws {
    let body = #"[null,[1700000040000,1,2,1,1,1],{},"x",[1700000100000,[1],2,1,1,1],[],[1 2]]"#
    let answer = try read(.binance, body).get()
    #expect(answer.rows.count == 1)
    #expect(answer.refused(.malformed) == 6)
    #expect(answer.refusals.map(\.text) == ["null", "{}", "\"x\"", "[1700000100000,[1],2,1,1,1]", "[]", "[1 2]"])
  }

  @Test func aTurnoverWithTooManyDigitsIsNone() throws {
    let row = #"[1700000040000,"1","2","1","1","1",1700000099999,"1e-37",1,"1","1","0"]"#
    let answer = try read(.binance, "[\(row)]").get()
    #expect(answer.rows.map(\.turnover) == [nil])
    #expect(try read(.binance, "[\(row)]".replacing("1e-37", with: "nan")).get().refused(.notANumber) == 1)
  }

  @Test func otherNumbersAreJudgedToo() throws {
    func reasons(_ bought: String, _ ticks: String) throws -> [HistoryRefusal.Reason] {
      let row = "[1700000040000,1,2,1,1,1,1700000099999,1,\(ticks),\(bought),0,0]"
      return try read(.binance, "[\(row)]").get().refusals.map(\.reason)
    }
    #expect(try reasons("1", "482.0") == [])
    #expect(try reasons("-1", "1") == [.badRange])
    #expect(try reasons("1", "-1") == [.badRange])
    #expect(try reasons("1", "1.5") == [.notANumber])
  }

  @Test func aFileOfErrorsIsCountedAndNotKept() throws {
    let lines =
      "1700000040000,1,1,1,1,1\n"
      + String(repeating: "1700000041000,1,1,1,1,\(String(repeating: "9", count: 300))\n", count: 250)
    let answer = try read(file: .csv, lines).get()
    #expect(answer.refused == 250)
    #expect(answer.refusals.count == HistoryAnswer.maximumRefusals)
    #expect(answer.refusals.allSatisfy { $0.text.utf8.count == HistoryRefusal.maximumTextLength })
  }
}
