import CandleCore
import CandleEngine
import CandleTestSupport
import Testing

@Suite struct HubPublishTests {
  @Test func aCandleTopicHasFormingClosedAndCorrected() {
    let life = HubLife()
    life.subscribe(1, ["candle.M1.A"])
    life.close("A", .M1, 1)
    life.forming("A", .M1, 2)
    life.close("A", .M5, 0)
    life.close("B", .M1, 1)
    #expect(life.lines(1) == ["subscribed", "closed candle.M1.A 1 v1", "forming candle.M1.A 2f"])
    life.close("A", .M1, 1, revision: 1)
    #expect(life.lines(1) == ["corrected candle.M1.A 1 r1 v4"])
  }

  @Test func theBacklogOfEachReaderIsItsOwn() {
    let life = HubLife()
    life.subscribe(1, ["candle.M1.A"])
    life.subscribe(2, ["candle.M1.B"])
    _ = (life.lines(1), life.lines(2))
    life.close("A", .M1, 1)
    var backlogs: [Int] = []
    life.hub.forEachBacklog { backlogs.append($0) }
    #expect(backlogs.count == 2 && backlogs.min() == 0)
    #expect(backlogs.reduce(0, +) == life.hub.backlog && life.hub.backlog > 0)
  }

  @Test func aFormingMessageThatStillWaitsIsObsoleteOnceTheCandleIsClosed() {
    let life = HubLife()
    life.subscribe(1, ["candle.M1.A"])
    life.forming("A", .M1, 1)
    life.close("A", .M1, 1)
    #expect(life.lines(1) == ["subscribed", "closed candle.M1.A 1 v1"])
  }

  @Test func messagesOfASeriesComeInOrder() {
    let life = HubLife()
    life.subscribe(1, ["candle.M1.A"])
    _ = life.lines(1)
    life.forming("A", .M1, 1)
    #expect(life.lines(1) == ["forming candle.M1.A 1f"])
    life.close("A", .M1, 1)
    life.forming("A", .M1, 2)
    life.close("A", .M1, 1, revision: 1)
    #expect(
      life.lines(1).filter { !$0.hasPrefix("forming") } == ["closed candle.M1.A 1 v1", "corrected candle.M1.A 1 r1 v2"])
  }

  @Test func aClosedTopicHasEachCandleAndRevisionExactlyOnce() {
    let life = HubLife()
    life.subscribe(1, ["closed.M1.A"])
    life.forming("A", .M1, 1)
    life.close("A", .M1, 1)
    life.close("A", .M1, 1, revision: 1)
    life.close("A", .M1, 1, revision: 2)
    life.close("A", .M1, 2)
    #expect(
      life.lines(1) == [
        "subscribed", "closed closed.M1.A 1 v1", "corrected closed.M1.A 1 r1 v2", "corrected closed.M1.A 1 r2 v3",
        "closed closed.M1.A 2 v4",
      ])
    #expect(life.hub.formingInterest(in: "A") == 0, "closed topics want no forming candles")
  }

  @Test(arguments: [
    ("candle.M1.*", ["candle.M1.A 1", "candle.M1.B 1"]), ("candle.*.A", ["candle.M1.A 1", "candle.M5.A 0"]),
    ("candle.*.*", ["candle.M1.A 1", "candle.M5.A 0", "candle.M1.B 1"]), ("closed.*.B", ["closed.M1.B 1"]),
  ])
  func aStarStandsForAny(topic: String, expected: [String]) {
    let life = HubLife()
    life.subscribe(1, [topic])
    life.close("A", .M1, 1)
    life.close("A", .M5, 0)
    life.close("B", .M1, 1)
    #expect(
      life.lines(1).dropFirst().map { $0.split(separator: " ").dropFirst().prefix(2).joined(separator: " ") }
        == expected)
  }

  @Test func aStarStandsForSymbolsThatAppearLater() {
    let life = HubLife()
    life.subscribe(1, ["candle.M1.*"])
    life.symbols.append("NEW")
    life.close("NEW", .M1, 1)
    #expect(life.lines(1).last == "closed candle.M1.NEW 1 v1")
    #expect(life.hub.formingInterest(in: "NEWER") == 0b01)
  }

  @Test func overlappingTopicsGiveOneMessage() {
    let life = HubLife()
    life.subscribe(1, ["candle.M1.A", "candle.M1.*", "candle.*.A", "candle.*.*"])
    life.forming("A", .M1, 1)
    #expect(life.lines(1) == ["subscribed", "forming candle.M1.A 1f"])
    life.close("A", .M1, 1)
    #expect(life.lines(1) == ["closed candle.M1.A 1 v1"])
    life.say(1, #"{"op":"unsubscribe","topics":["candle.*.*","candle.M1.A"]}"#)
    life.close("A", .M1, 2)
    #expect(life.lines(1) == ["unsubscribed", "closed candle.M1.A 2 v2"])
  }

  @Test func topicsOfBothKindsGiveAMessageEach() {
    let life = HubLife()
    life.subscribe(1, ["candle.M1.A", "closed.M1.A"])
    life.close("A", .M1, 1)
    #expect(life.lines(1).sorted() == ["closed candle.M1.A 1 v1", "closed closed.M1.A 1 v1", "subscribed"])
  }

  @Test func aCandleMadeByALateTickIsPublishedAsCorrected() {
    let life = HubLife()
    life.subscribe(1, ["closed.M1.A"])
    life.close("A", .M1, 1, late: true)
    #expect(life.lines(1) == ["subscribed", "corrected closed.M1.A 1 v1"])
  }

  @Test func gapsGoToWhoeverHasATopicOfTheSymbol() {
    let life = HubLife()
    life.subscribe(1, ["candle.M1.A"])
    life.subscribe(2, ["closed.*.*"])
    life.subscribe(3, ["candle.M1.B", "closed.M1.B"])
    life.commitGap("A")
    life.publish()
    #expect(life.lines(1).last == "gap A v1" && life.lines(2).last == "gap A v1" && life.lines(3) == ["subscribed"])
  }

  @Test func aMessageIsEncodedOnceForAllItsReaders() {
    let life = HubLife()
    for reader in 1...50 { life.subscribe(ReaderID(reader), ["candle.M1.A"]) }
    let before = life.hub.counters
    life.close("A", .M1, 1)
    life.forming("A", .M1, 2)
    #expect(life.hub.counters.encoded == before.encoded + 2 && life.hub.counters.messages == before.messages + 100)
  }

  @Test func whatNobodyReadsIsNotEncoded() {
    let life = HubLife()
    life.subscribe(1, ["candle.M1.B"])
    life.close("A", .M1, 1)
    life.forming("A", .M1, 2)
    #expect(life.hub.counters.encoded == 0)
  }

  // MARK: Readers that lag

  @Test func aSlowConsumerIsClosedAndDelaysNobody() {
    let life = HubLife(maxBacklog: 2_000)
    life.subscribe(1, ["closed.M1.A"])
    life.subscribe(2, ["closed.M1.A"])
    _ = life.lines(1)
    for number in 0..<50 {
      life.close("A", .M1, number)
      #expect(life.lines(2).last == "closed closed.M1.A \(number) v\(number + 1)")
    }
    #expect(life.closed[1]?.code == 1_013 && life.closed[1]?.reason == "slow consumer" && life.closed[2] == nil)
    #expect(life.hub.counters.slowConsumers == 1)
    #expect(life.messages(1).isEmpty, "nothing more is sent")
    life.say(1, #"{"op":"ping"}"#)
    #expect(life.messages(1).isEmpty)
  }

  @Test func aReaderThatAsksAndDoesNotListenIsSlowToo() {
    let life = HubLife(maxBacklog: 10_000)
    life.connect(1)
    for _ in 0..<2_000 { life.say(1, #"{"op":"ping","id":"a name of some length"}"#) }
    // Answers pile up without a bound.
    #expect(life.hub.backlog < 20_000)
  }

  @Test func closedMessagesAreNeverDroppedBelowTheLimit() {
    let life = HubLife(maxBacklog: 1 << 20)
    life.subscribe(1, ["candle.M1.A"])
    for number in 0..<500 {
      life.forming("A", .M1, number)
      life.forming("A", .M1, number)
      life.close("A", .M1, number)
    }
    let closed = life.lines(1).filter { $0.hasPrefix("closed") }
    #expect(closed == (0..<500).map { "closed candle.M1.A \($0) v\($0 + 1)" })
  }

  @Test func aReaderThatLagsGetsTheNewestFormingOnly() {
    let life = HubLife()
    life.subscribe(1, ["candle.M1.*"])
    // Enough that more than the threshold waits.
    for number in 0..<400 { life.close("B", .M1, number) }
    let backlog = life.hub.backlog
    for number in 400..<900 { life.forming("A", .M1, number) }
    #expect(life.hub.backlog < backlog + 1_000 && life.hub.counters.conflated == 499)
    let lines = life.lines(1) + life.lines(1)
    #expect(lines.filter { $0.hasPrefix("forming") } == ["forming candle.M1.A 899f"])
  }

  @Test func interestByNumberIsInterestByNameWhoeverComesAndGoes() {
    let life = HubLife()
    func interest() -> [UInt32] {
      life.symbols.enumerated().map { number, name in life.hub.formingInterest(of: Int32(number)) { name } }
    }
    let steps: [() -> Void] = [
      {}, { life.subscribe(1, ["candle.M1.A"]) }, { life.subscribe(2, ["candle.*.B", "closed.M5.A"]) },
      { life.subscribe(3, ["candle.M5.*"]) }, { life.hub.disconnect(1) }, { life.hub.disconnect(3) },
    ]
    for step in steps {
      step()
      let all: UInt32 = (1 << UInt32(HubLife.timeframes.count)) - 1
      #expect(interest() == life.symbols.map { life.hub.formingInterest(in: $0) & all })
      #expect(interest() == interest(), "what was found is found again")
    }
  }

  @Test func nobodyIsInterestedWhileTheNewestIsOwedToAll() {
    let life = HubLife(maxBacklog: 64 << 20)
    life.subscribe(1, ["candle.M1.A"])
    var number = 0
    while life.hub.formingInterest(of: 0, name: { "A" }) != 0 {
      life.forming("A", .M1, number)
      number += 1
      guard number < 10_000 else { break }
    }
    #expect(number > 1 && number < 10_000 && life.hub.counters.conflated > 0)
    // A reader that keeps up is told of each again.
    life.connect(2)
    life.subscribe(2, ["candle.M1.A"])
    #expect(life.hub.formingInterest(of: 0) { "A" } == 0b01)
    life.hub.disconnect(2)
    _ = life.lines(1)
    #expect(life.hub.formingInterest(of: 0) { "A" } == 0b01)
  }

  @Test func conflationNeverReordersClosedBeforeForming() {
    for seed in 0..<30 {
      var random = SeededGenerator(seed: UInt64(seed))
      let life = HubLife(maxBacklog: 64 << 20)
      life.subscribe(1, ["candle.*.*", "closed.M1.A"])
      var open: [String: Int] = [:]
      var got: [String] = []
      for _ in 0..<1_500 {
        let symbol = random.pick(life.symbols)
        let timeframe = random.pick(HubLife.timeframes)
        let series = "\(timeframe).\(symbol)"
        switch random.int(0...9) {
        case 0...6: life.forming(symbol, timeframe, open[series] ?? 0)
        case 7...8:
          life.close(symbol, timeframe, open[series] ?? 0)
          open[series] = (open[series] ?? 0) + 1
        default:
          if random.chance(1, in: 60) {
            got += life.messages(1, size: random.pick([50, 500, 5_000]), rounds: random.int(1...100)).map(HubLife.line)
          }
        }
      }
      got += life.lines(1, size: 700)
      var closed: [String: Int] = [:]
      var forming: [String: Int] = [:]
      for line in got {
        let words = line.split(separator: " ")
        guard words.count > 2, words[1].hasPrefix("candle") else { continue }
        let series = String(words[1].dropFirst(7))
        if words[0] == "closed" {
          let number = Int(words[2])!
          #expect(number == closed[series, default: 0], "seed \(seed): \(line)")
          #expect(forming[series] ?? 0 <= number, "seed \(seed): \(line) after its successor formed")
          closed[series] = number + 1
        } else if words[0] == "forming" {
          let number = Int(words[2].dropLast())!
          #expect(number == closed[series] ?? 0, "seed \(seed): \(line)")
          forming[series] = number
        }
      }
      for (series, number) in open { #expect(closed[series] == number, "seed \(seed): all of \(series) came") }
    }
  }

  @Test func filledCandlesAreTakenFromTheStoreAtTheReadersPace() {
    let life = HubLife()
    life.subscribe(1, ["candle.M1.A"])
    life.subscribe(2, ["closed.*.B"])
    life.close("A", .M1, 9)
    #expect(life.lines(1) == ["subscribed", "closed candle.M1.A 9 v1"])
    for number in 1...3 { life.commit("A", .M1, number, late: true) }
    life.publishFilled()
    #expect(life.lines(1).isEmpty, "nothing is queued before the store has answered")
    life.close("B", .M1, 9)
    #expect(life.lines(2) == ["subscribed", "closed closed.M1.B 9 v5"], "who reads other series goes on")
    life.answerAll()
    #expect(life.lines(1) == (1...3).map { "corrected candle.M1.A \($0) v\($0 + 1)" })
    life.close("A", .M1, 10)
    #expect(life.lines(1) == ["closed candle.M1.A 10 v6"], "and it is live again")
  }
}
