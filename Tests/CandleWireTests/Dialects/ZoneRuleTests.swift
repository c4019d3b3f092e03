import Testing

@testable import CandleWire

@Suite struct ZoneRuleTests {
  @Test(arguments: [
    ("UTC", 0), ("Z", 0), ("+08:00", 28_800), (" 08:00", 28_800), ("+8", 28_800), ("+0530", 19_800),
    ("-03:30", -12_600), ("-14", -50_400), ("+5:45", 20_700),
  ])
  func anOffsetIsAZone(text: String, seconds: Int64) {
    #expect(ZoneRule(fixed: text)?.offset(0) == seconds)
  }

  @Test(arguments: ["", "+", "8", "+15", "+14:30", "+8:5", "+08:60", "+080", "+1:2:3", "+-8", "Asia/Shanghai", "+8x"])
  func whatIsNoOffsetIsNone(text: String) { #expect(ZoneRule(fixed: text) == nil) }

  private func shown(_ seconds: Int64, _ zone: String = "UTC") -> String {
    var clock = ZoneClock(ZoneRule(fixed: zone)!)
    return written { clock.write(seconds, to: $0) }
  }

  @Test(arguments: [
    (1_700_000_040, "UTC", "11-14 22:14"), (1_700_000_040, "+08:00", "11-15 06:14"), (0, "UTC", "01-01 00:00"),
    (0, "-1", "12-31 23:00"), (951_782_399, "UTC", "02-28 23:59"), (951_782_400, "UTC", "02-29 00:00"),
    (951_868_800, "UTC", "03-01 00:00"), (4_107_542_400, "UTC", "03-01 00:00"), (-1, "UTC", "12-31 23:59"),
  ])
  func momentsAreShownAsInTheZone(seconds: Int64, zone: String, text: String) { #expect(shown(seconds, zone) == text) }

  @Test func everyDayOfFourHundredYearsFollowsTheOneBefore() {
    let lengths: [Int64] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var day: Int64 = 0
    var wrong: [Int64] = []
    for year in 1970..<2371 {
      for month in 1...12 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        for dayOfMonth in 1...(lengths[month - 1] + (month == 2 && isLeap ? 1 : 0)) {
          let found = ZoneClock.monthAndDay(day)
          if found.month != Int64(month) || found.day != dayOfMonth { wrong.append(day) }
          day += 1
        }
      }
    }
    #expect(day == 146_462 && wrong == [])
  }

  @Test func aChangeOfTheZoneIsSeenWithinAWalk() {
    // Clocks go forward by an hour at 900,000.
    let rule = ZoneRule(name: "summer") { $0 < 900_000 ? 0 : 3_600 }
    var clock = ZoneClock(rule)
    #expect(written { clock.write(899_940, to: $0) } == "01-11 09:59")
    #expect(written { clock.write(900_000, to: $0) } == "01-11 11:00")
    #expect(written { clock.write(899_940, to: $0) } == "01-11 09:59")
  }
}
