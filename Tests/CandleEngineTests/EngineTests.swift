import CandleCore
import CandleEngine
import CandleTestSupport
import Testing

@Suite struct EngineTests {
  private let fiveMinutes = SettlementRules(timeframes: [.M1, .M5])

  // MARK: Commit, then publish (rule 10)

  @Test func aClosedCandleIsPublishedOnlyAfterItsCommit() {
    let life = EngineLife()
    life.trade("10:00:30", "5")
    life.trade("10:01:10", "6")
    #expect(life.publications.isEmpty)
    let batch = life.handOver()
    #expect(batch?.updates.count == 1 && batch?.symbols.map(\.name) == ["A"])
    #expect(life.publications.isEmpty, "handed to the store is not committed")
    life.commit()
    #expect(life.publications == ["closed M1 10:00 5/5/5/5 v1 n1"])
    #expect(life.engine.publishedVersion == batch?.version)
  }

  @Test func aBatchIsHandedOverOnceAndItsSymbolOnce() {
    let life = EngineLife()
    life.trade("10:00:30", "5")
    life.trade("10:01:10", "6")
    #expect(life.handOver() != nil && life.handOver() == nil)
    life.trade("10:02:10", "6")
    #expect(life.handOver()?.symbols.isEmpty == true)
  }

  @Test func whatIsCommittedInPartIsPublishedInPart() {
    let life = EngineLife()
    life.trade("10:00:30", "5")
    life.trade("10:01:10", "6")
    life.handOver()
    life.trade("10:02:10", "7")
    life.handOver()
    life.commit()
    #expect(life.publications == ["closed M1 10:00 5/5/5/5 v1 n1"])
    life.commit()
    #expect(life.publications == ["closed M1 10:01 6/6/6/6 v1 n1"])
  }

  @Test func aBurstIsPublishedInSteps() {
    let life = EngineLife(source: false)
    life.up(1, ["A", "B", "C"])
    for name in ["A", "B", "C"] { life.trade("10:00:30", "5", name) }
    life.tick("10:01:02")
    let version = life.handOver()!.version
    life.engine.stored(upTo: version, limit: 2)
    #expect(life.publications.count == 2 && life.engine.hasUnreleased)
    #expect(life.engine.publishedVersion == version - 1, "what is not released is not published")
    life.engine.release(2)
    #expect(life.publications.count == 1 && !life.engine.hasUnreleased)
    #expect(life.engine.publishedVersion == version)
  }

  @Test func theClockSettlesInSteps() {
    let life = EngineLife(source: false)
    let names = ["A", "B", "C", "D", "E"]
    life.up(1, names)
    for name in names { life.trade("10:00:30", "5", name) }
    life.pass(to: "10:01:02")
    var settled: [Int] = []
    while life.engine.isClockSettlementDue(at: life.instant) {
      life.engine.tick(at: life.instant, limit: 2)
      settled.append(life.handOver()!.updates.count)
    }
    #expect(settled == [2, 2, 1])
  }

  @Test func aTickBetweenTheStepsSettlesItsOwnCandle() {
    let life = EngineLife(source: false)
    life.up(1, ["A", "B"])
    for name in ["A", "B"] { life.trade("10:00:30", "5", name) }
    life.pass(to: "10:01:02")
    life.engine.tick(at: life.instant, limit: 1)
    life.trade("10:01:01", "6", "B")
    life.engine.tick(at: life.instant, limit: 1)
    #expect(life.handOver()!.updates.map(\.candle.settlement!.settledBy) == [.clock, .tick])
  }

  @Test func formingWaitsBehindAnUnpublishedClose() {
    let life = EngineLife(fiveMinutes)
    life.trade("10:00:30", "5")
    life.publishForming()
    _ = life.publications
    life.trade("10:01:10", "6")
    life.publishForming()
    #expect(life.publications == ["forming M5 10:00 5/6/5/6 v2 n2"], "M5 has nothing that waits")
    #expect(life.engine.forming(0, position: 0) == nil)
    life.commitAll()
    life.publishForming()
    #expect(life.publications == ["closed M1 10:00 5/5/5/5 v1 n1", "forming M1 10:01 6/6/6/6 v1 n1"])
  }

  @Test func theFlatCandleComesRightAfterTheClosedOne() {
    let life = EngineLife()
    life.trade("10:00:30", "5")
    life.publishForming()
    _ = life.publications
    life.tick("10:01:01")
    life.commitAll()
    life.publishForming()
    #expect(life.publications == ["closed M1 10:00 5/5/5/5 v1 n1", "forming M1 10:01 5/5/5/5 v0 n0 flat"])
  }

  @Test func storageRefusesTicksBeyondTheLimitUntilTheDiskRecovers() {
    let life = EngineLife(pendingLimit: 2_000)
    var refused = 0
    for minute in 0..<50 {
      let clock = minute < 10 ? "10:0\(minute):30" : "10:\(minute):30"
      if life.trade(clock, "5") == .storage { refused += 1 }
    }
    #expect(refused > 0 && refused < 50)
    #expect(life.engine.pendingBytes < 4_000)
    #expect(life.trade("10:50:30", "5") == .storage)
    life.commitAll()
    #expect(life.engine.pendingBytes == 0 && life.trade("10:50:31", "5") == nil)
  }

  // MARK: Forming messages

  @Test func theFirstFormingMessageGoesOutAtOnceTheNextAfterTheInterval() {
    let life = EngineLife()
    life.trade("10:00:30", "5")
    #expect(life.publishForming() == nil)
    #expect(life.publications == ["forming M1 10:00 5/5/5/5 v1 n1"])
    life.trade("10:00:30.040", "6")
    life.trade("10:00:30.060", "7")
    let due = life.publishForming()
    #expect(life.publications.isEmpty && due == life.instant.monotonic + 40_000_000)
    life.pass(to: "10:00:30.1")
    #expect(life.publishForming() == nil && life.publications == ["forming M1 10:00 5/7/5/7 v3 n3"])
    life.pass(to: "10:00:40")
    life.publishForming()
    #expect(life.publications.isEmpty, "nothing changed")
  }

  @Test func withoutAnIntervalEveryChangeIsTold() {
    let life = EngineLife { $0.formingInterval = 0 }
    for second in 10...14 {
      life.trade("10:00:\(second)", "5")
      life.publishForming()
    }
    #expect(life.publications.count == 5)
  }

  @Test func whatNobodyReadsIsNotPublished() {
    let life = EngineLife(fiveMinutes)
    life.trade("10:00:30", "5")
    _ = life.engine.publishForming(at: life.instant) { _ in 0b10 }
    #expect(life.publications == ["forming M5 10:00 5/5/5/5 v1 n1"])
  }

  // MARK: Settlement

  @Test func timeSettlesWhatNoTickDid() {
    let life = EngineLife(fiveMinutes)
    life.trade("10:00:30", "5")
    life.pass(to: "10:01:00.999")
    #expect(!life.engine.isClockSettlementDue(at: life.instant))
    #expect(life.engine.nextClockWake == life.instant.monotonic + 1_000_000)
    life.pass(to: "10:01:01")
    #expect(life.engine.isClockSettlementDue(at: life.instant))
    life.tick()
    #expect(life.news == ["closed M1 10:00 5/5/5/5 v1 n1"])
    #expect(life.engine.counters.settledByClock == 1 && life.engine.counters.settledByTick == 0)
  }

  @Test func beforeTheFirstTickNothingWakes() {
    #expect(EngineLife().engine.nextClockWake == nil)
  }

  @Test func versionsRiseByOneOverAllSymbols() {
    let life = EngineLife(fiveMinutes)
    life.up(2, ["B"])
    for minute in 0..<7 {
      life.trade("10:0\(minute):30", "5")
      life.trade("10:0\(minute):31", "6", "B")
    }
    var versions: [Int64] = []
    for update in life.handOver()!.updates { versions.append(update.candle.settlement!.version) }
    #expect(versions == Array(1...Int64(versions.count)) && versions.count == 14)
  }

  // MARK: Jumps of the clock

  @Test func aSuspendedStretchIsAGapAndMakesNoFlatCandles() {
    let life = EngineLife()
    life.trade("10:00:30", "5")
    life.move(8 * 3_600_000)
    life.tick()
    #expect(
      life.news == ["gap 10:00:30–18:00:30 suspended", "closed M1 10:00 5/5/5/5 v1 n1 incomplete"])
    life.tick("18:02:01")
    #expect(
      life.news == ["closed M1 18:00 5/5/5/5 v0 n0 flat incomplete", "closed M1 18:01 5/5/5/5 v0 n0 flat"])
  }

  @Test func aStepOfTheSystemClockIsAGapToo() {
    let life = EngineLife()
    life.trade("10:00:30", "5")
    life.instant.wall += 3_600_000
    life.tick()
    #expect(
      life.news == ["gap 10:00:30–11:00:30 suspended", "closed M1 10:00 5/5/5/5 v1 n1 incomplete"])
    #expect(life.engine.clock.steps == 1)
  }

  @Test func aStepBackSettlesNothingTwice() {
    let life = EngineLife()
    life.trade("10:00:30", "5")
    life.tick("10:01:01")
    _ = life.news
    life.instant.wall -= 120_000
    life.tick()
    life.tick("10:00:59")
    #expect(life.news.isEmpty)
    life.tick("10:02:01")
    #expect(life.news == ["closed M1 10:01 5/5/5/5 v0 n0 flat"])
  }

  @Test func withRecordedDataAForwardJumpIsTimeThatPassed() {
    let life = EngineLife(clock: .feed)
    life.trade("10:00:30", "5")
    life.frame([("10:04:30", "6", "A", .none)])
    #expect(
      life.news == [
        "closed M1 10:00 5/5/5/5 v1 n1 incomplete", "closed M1 10:01 5/5/5/5 v0 n0 flat",
        "closed M1 10:02 5/5/5/5 v0 n0 flat", "closed M1 10:03 5/5/5/5 v0 n0 flat",
      ])
  }

  // MARK: Symbols

  @Test func symbolsBeyondTheLimitGetNoNumber() {
    let engine = Engine(EngineConfiguration(symbolLimit: 2))
    #expect(engine.intern("A") == 0 && engine.intern("B") == 1 && engine.intern("C") == nil && engine.intern("A") == 0)
  }

  @Test func manySymbolsKeepTheirState() {
    let life = EngineLife(source: false)
    for number in 0..<100 { life.trade("10:00:30", Fixed(coefficient: Int64(number + 1), scale: 0), "S\(number)") }
    for number in 0..<100 {
      #expect(
        life.engine.number(of: "S\(number)") == Int32(number) && life.engine.name(of: Int32(number)) == "S\(number)")
      #expect(
        life.engine.forming(Int32(number), position: 0)?.content.close
          == Fixed(coefficient: Int64(number + 1), scale: 0))
    }
  }
}
