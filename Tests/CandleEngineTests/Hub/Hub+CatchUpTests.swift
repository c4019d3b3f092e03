import CandleCore
import CandleEngine
import CandleTestSupport
import CandleWire
import Testing

@Suite struct HubCatchUpTests {
  private func since(_ version: Int64) -> String {
    ",\"since\":{\"epoch\":\"\(HubLife.epoch)\",\"version\":\(version)}"
  }

  // MARK: Since

  @Test func sinceReplaysEverythingAboveTheVersionThenGoesLive() {
    let life = HubLife()
    for number in 1...5 { life.close("A", .M1, number) }
    life.subscribe(1, ["closed.M1.A"], since(2))
    life.close("A", .M1, 6)
    #expect(life.lines(1) == ["subscribed"] + (3...6).map { "closed closed.M1.A \($0) v\($0)" })
  }

  @Test func aReplayedCandleComesOnceInItsLatestState() {
    let life = HubLife()
    life.close("A", .M1, 1)
    life.close("A", .M1, 2)
    life.close("A", .M1, 1, revision: 1)
    life.close("A", .M1, 3, late: true)
    life.subscribe(1, ["candle.M1.A"], since(0))
    #expect(
      life.lines(1) == [
        "subscribed", "closed candle.M1.A 2 v2", "corrected candle.M1.A 1 r1 v3", "corrected candle.M1.A 3 v4",
      ], "closed only where it was first published so")
  }

  @Test func gapsAreReplayedToo() {
    let life = HubLife()
    life.close("A", .M1, 1)
    life.commitGap("A")
    life.commitGap("B")
    life.publish()
    life.subscribe(1, ["closed.M1.A"], since(0))
    #expect(life.lines(1) == ["subscribed", "closed closed.M1.A 1 v1", "gap A v2"])
  }

  @Test func sinceTheNewestVersionReplaysNothing() {
    let life = HubLife()
    life.close("A", .M1, 1)
    life.subscribe(1, ["closed.M1.A"], since(1))
    life.close("A", .M1, 2)
    #expect(life.lines(1) == ["subscribed", "closed closed.M1.A 2 v2"])
  }

  @Test func duringAReplayOtherMessagesWait() {
    let life = HubLife()
    life.subscribe(1, ["closed.M1.B"])
    for number in 1...3 { life.close("A", .M1, number) }
    life.say(1, life.request(["closed.M1.A"], since(0)))
    life.close("B", .M1, 1)
    #expect(life.lines(1) == ["subscribed", "subscribed"])
    life.answerAll()
    #expect(
      life.lines(1) == (1...3).map { "closed closed.M1.A \($0) v\($0)" } + ["closed closed.M1.B 1 v4"],
      "in version order over all its series")
  }

  @Test func aReplayIsPacedByTheReader() {
    let life = HubLife()
    for number in 0..<3_000 { life.close("A", .M1, number) }
    life.subscribe(1, ["closed.M1.A"], since(0))
    #expect(life.hub.backlog < 1 << 20, "it does not read on while much waits")
    var got: [String] = []
    while true {
      let next = life.messages(1, size: 16_384, rounds: 1).map(HubLife.line)
      life.answerAll()
      if next.isEmpty { break }
      got += next
    }
    #expect(got == ["subscribed"] + (0..<3_000).map { "closed closed.M1.A \($0) v\($0 + 1)" })
  }

  @Test func aReplayDoesNotCountAsBacklog() {
    let life = HubLife(maxBacklog: 10_000)
    for number in 0..<200 { life.close("A", .M1, number) }
    life.subscribe(1, ["closed.M1.A"], since(0))
    life.close("A", .M1, 200)
    // What is replayed still waits when the first live message comes behind it.
    withKnownIssue { #expect(life.closed[1] == nil) }
  }

  @Test func aSnapshotDoesNotCountAsBacklog() {
    let life = HubLife(maxBacklog: 10_000)
    for number in 0..<200 { life.close("A", .M1, number) }
    life.subscribe(1, ["closed.M1.A"], ",\"snapshot\":200")
    life.close("A", .M1, 200)
    withKnownIssue { #expect(life.closed[1] == nil) }
  }

  // MARK: Snapshot

  @Test func aSnapshotCountsClosedCandlesTheFormingOneComesOnTop() {
    let life = HubLife()
    for number in 1...5 { life.close("A", .M1, number) }
    life.connect(1)
    life.say(1, life.request(["candle.M1.A", "closed.M1.A", "candle.M5.A"], ",\"snapshot\":2"))
    while !life.waiting.isEmpty {
      life.answer(life.waiting.removeFirst()) { symbol, timeframe in
        HubLife.candle(timeframe == .M1 ? 6 : 1, timeframe, version: nil)
      }
    }
    life.close("A", .M1, 6)
    #expect(
      life.lines(1).sorted() == [
        "closed candle.M1.A 6 v6", "closed closed.M1.A 6 v6", "snapshot candle.M1.A 4 5 6f", "snapshot candle.M5.A 1f",
        "snapshot closed.M1.A 4 5", "subscribed",
      ])
  }

  @Test func aSnapshotOfNothingHasTheFormingCandleOnly() {
    let life = HubLife()
    life.close("A", .M1, 1)
    life.connect(1)
    life.say(1, life.request(["candle.M1.A"], ",\"snapshot\":0"))
    while !life.waiting.isEmpty {
      life.answer(life.waiting.removeFirst()) { _, timeframe in HubLife.candle(2, timeframe, version: nil) }
    }
    #expect(life.lines(1) == ["subscribed", "snapshot candle.M1.A 2f"])
  }

  @Test func whatIsCommittedWhileASnapshotIsReadComesOnce() {
    let life = HubLife()
    life.close("A", .M1, 1)
    life.connect(1)
    life.say(1, life.request(["candle.M1.A"], ",\"snapshot\":5"))
    life.answer(life.waiting.removeFirst())
    // Committed and read, but not published when the answer comes.
    life.commit("A", .M1, 2)
    life.answerAll()
    life.publish()
    life.close("A", .M1, 3)
    #expect(life.lines(1) == ["subscribed", "snapshot candle.M1.A 1 2", "closed candle.M1.A 3 v3"])
  }

  @Test func whatIsPublishedWhileASnapshotIsReadFollowsIt() {
    let life = HubLife()
    life.close("A", .M1, 1)
    life.connect(1)
    life.say(1, life.request(["candle.M1.A"], ",\"snapshot\":5"))
    life.answer(life.waiting.removeFirst())
    let read = life.waiting.removeFirst()
    // The store reads, then 2 is published, then its answer comes.
    guard case .readSnapshot(let id, _, _) = read else {
      Issue.record("no snapshot is read: \(read)")
      return
    }
    life.close("A", .M1, 2)
    life.forming("A", .M1, 3)
    life.hub.snapshotRead(
      id, [SeriesSnapshot(symbol: "A", timeframe: .M1, candles: [(HubLife.candle(1, .M1, version: 1), nil)])],
      version: 1
    ) { _, timeframe in (HubLife.candle(3, timeframe, version: nil), nil) }
    life.collect()
    life.answerAll()
    #expect(
      life.lines(1) == ["subscribed", "snapshot candle.M1.A 1", "closed candle.M1.A 2 v2"],
      "no forming candle in the snapshot: a close that it does not have lies between")
  }

  @Test func aSecondSnapshotMustWaitForTheFirst() {
    let life = HubLife()
    life.connect(1)
    life.say(1, life.request(["candle.M1.A"], ",\"snapshot\":5"))
    life.say(1, life.request(["candle.M1.B"], ",\"snapshot\":5"))
    #expect(life.lines(1) == ["subscribed", "error busy"])
  }

  // MARK: The store fails

  @Test func aReadThatFailedIsTold() {
    let life = HubLife()
    life.close("A", .M1, 1)
    life.connect(1)
    life.say(1, life.request(["closed.M1.A"], since(0)))
    life.hub.readFailed(1, message: "disk")
    life.collect()
    #expect(life.lines(1) == ["subscribed", "error unavailable"])
    life.answerAll()
    life.close("A", .M1, 2)
    #expect(life.lines(1).isEmpty, "it has no topics any more, rather than a hole")
    life.subscribe(1, ["closed.M1.A"], since(0))
    #expect(life.lines(1) == ["subscribed", "closed closed.M1.A 1 v1", "closed closed.M1.A 2 v2"])
  }

  @Test func anAnswerForSomebodyWhoIsGoneIsIgnored() {
    let life = HubLife()
    life.close("A", .M1, 1)
    life.connect(1)
    life.say(1, life.request(["closed.M1.A"], since(0)))
    life.hub.disconnect(1)
    life.answerAll()
    #expect(life.hub.backlog == 0)
  }

  // MARK: The seam, whatever the interleaving

  /// Commits, publications, reads and answers in random order; the answer of a read shows what was committed when it
  /// was read.
  private func seam(seed: UInt64, start: (inout SeededGenerator, Int64) -> String) -> String? {
    var random = SeededGenerator(seed: seed)
    let life = HubLife(maxBacklog: 64 << 20)
    var next: [String: Int] = [:]
    var revisions: [String: Int32] = [:]
    var gaps = 0
    func commit() {
      let symbol = random.pick(life.symbols)
      let timeframe = random.pick(HubLife.timeframes)
      let series = "\(symbol)\(timeframe)"
      let count = next[series] ?? 0
      if random.chance(1, in: 12) {
        gaps += 1
        life.commitGap(symbol, from: Int64(random.int(0...gaps)))
      } else if count > 0, random.chance(1, in: 3) {
        let number = random.int(max(0, count - 4)...count - 1)
        revisions["\(series)\(number)", default: 0] += 1
        life.commit(symbol, timeframe, number, revision: revisions["\(series)\(number)"]!)
      } else {
        life.commit(symbol, timeframe, count)
        next[series] = count + 1
      }
    }
    for _ in 0..<random.int(0...40) { commit() }
    life.publish(upTo: Int64(random.int(0...life.log.count)))
    let topics = random.pick([
      ["closed.M1.A"], ["candle.*.*"], ["closed.*.A", "closed.M1.*"], ["candle.M5.B", "closed.*.C"],
    ])
    let base = life.hub.publishedVersion
    let more = start(&random, base)
    life.connect(1)
    var got: [JSONValue] = []
    var asked = false
    for step in 0..<120 {
      switch random.int(0...9) {
      case 0...3: commit()
      case 4...6: life.publish(upTo: min(Int64(life.log.count), life.hub.publishedVersion + Int64(random.int(0...4))))
      case 7...8:
        if !life.waiting.isEmpty { life.answer(life.waiting.removeFirst(), most: random.pick([1, 3, 500])) }
      default: got += life.messages(1, size: random.pick([60, 900, 20_000]), rounds: random.int(1...20))
      }
      if !asked, step > 10 {
        asked = true
        life.say(1, life.request(topics, more))
      }
    }
    life.publish()
    for _ in 0..<10_000 where !life.waiting.isEmpty {
      life.answer(life.waiting.removeFirst(), most: random.pick([1, 3, 500]))
      got += life.messages(1)
    }
    got += life.messages(1)
    return fault(life, got, topics)
  }

  /// What is wrong with the messages of a reader against all that was committed.
  private func fault(_ life: HubLife, _ got: [JSONValue], _ topics: [String]) -> String? {
    guard let subscribed = got.first, subscribed["type"]?.string == "subscribed" else { return "not subscribed" }
    let topics = topics.map { Topic($0, timeframes: HubLife.timeframes) { _ in true }! }
    // Latest version the reader knows of each candle, by topic kind; everything below `from` is not its concern.
    var known: [String: Int64] = [:]
    var last: Int64 = 0
    var sawSnapshot: Set<String> = []
    for message in got.dropFirst() {
      let type = message["type"]!.string!
      if type == "error" { return "error \(message)" }
      if type == "snapshot" {
        let topic = message["topic"]!.string!
        if !sawSnapshot.insert(topic).inserted { return "two snapshots of \(topic)" }
        for candle in message["candles"]!.array! {
          let kind = topic.hasPrefix("candle") ? "candle" : "closed"
          known[
            "\(kind) \(candle["symbol"]!.string!) \(candle["timeframe"]!.string!) \(candle["open_time"]!.integer!)"] =
            candle["version"]!.integer!
        }
        continue
      }
      let version: Int64
      let name: String
      if type == "gap" {
        version = message["version"]!.integer!
        name = "gap \(message["symbol"]!.string!) \(message["from"]!.integer!)"
      } else {
        let candle = message["candle"]!
        version = candle["version"]!.integer!
        name =
          "\(message["topic"]!.string!.prefix(6)) \(candle["symbol"]!.string!) \(candle["timeframe"]!.string!) \(candle["open_time"]!.integer!)"
      }
      if version < last { return "version \(version) after \(last)" }
      last = version
      if let before = known[name], before >= version { return "\(name) v\(version) came after v\(before)" }
      known[name] = version
    }
    // At the end it knows the latest state of all that changed since it subscribed.
    let from = subscribed["version"]!.integer!
    for change in life.log {
      switch change {
      case .gap(let symbol, let gap) where gap.version > from:
        guard topics.contains(where: { $0.symbol == nil || $0.symbol == symbol }) else { continue }
        // The snapshot stands for gaps up to its version.
        if known["gap \(symbol) \(gap.from)"] ?? 0 < gap.version, sawSnapshot.isEmpty {
          return "gap v\(gap.version) is missing"
        }
      case .candle(let symbol, let timeframe, let candle, _) where candle.settlement!.version > from:
        for kind in Topic.Kind.allCases
        where topics.contains(where: { $0.kind == kind && $0.matches(timeframe, symbol) }) {
          if known["\(kind.name) \(symbol) \(timeframe) \(candle.openTime)"] ?? 0 < candle.settlement!.version {
            return "\(kind.name) \(symbol) \(timeframe) v\(candle.settlement!.version) is missing"
          }
        }
      default: break
      }
    }
    return nil
  }

  @Test func theSnapshotSeamHasNoHoleAndNoDouble() {
    for seed in 0..<600 {
      let fault = seam(seed: UInt64(seed)) { random, _ in ",\"snapshot\":\(random.pick([1_000, 1_000, 50]))" }
      #expect(fault == nil, "seed \(seed)")
    }
  }

  @Test func theSinceSeamHasNoHoleAndNoDouble() {
    for seed in 0..<600 {
      let fault = seam(seed: UInt64(seed)) { random, version in since(random.int64(0...version)) }
      #expect(fault == nil, "seed \(seed)")
    }
  }

  @Test func theSeamToNowHasNoHoleAndNoDouble() {
    for seed in 0..<600 {
      let fault = seam(seed: UInt64(seed)) { _, _ in "" }
      #expect(fault == nil, "seed \(seed)")
    }
  }

  /// A further request comes while an earlier one is carried out.
  /// - Returns: versions in the order in which they came, and what is missing of the topic that joined.
  private func join(seed: UInt64) -> (versions: [Int64], missing: [Int64]) {
    var random = SeededGenerator(seed: seed)
    let life = HubLife(maxBacklog: 64 << 20)
    for number in 0..<20 {
      life.commit("A", .M1, number)
      life.commit("B", .M1, number)
    }
    life.publish(upTo: 30)
    life.connect(1)
    life.say(1, life.request(["closed.M1.A"], random.pick([since(5), ",\"snapshot\":3"])))
    var number = 20
    var got: [JSONValue] = []
    for step in 0..<60 {
      switch random.int(0...4) {
      case 0:
        life.commit(random.pick(["A", "B"]), .M1, number)
        number += 1
      case 1: life.publish(upTo: min(Int64(life.log.count), life.hub.publishedVersion + 2))
      case 2: if !life.waiting.isEmpty { life.answer(life.waiting.removeFirst(), most: random.pick([1, 500])) }
      case 3: got += life.messages(1, size: 700, rounds: 2)
      default: break
      }
      if step == 7 { life.say(1, life.request(["closed.M1.B"])) }
    }
    life.publish()
    life.answerAll()
    got += life.messages(1)
    let joined = got.last { $0["type"]?.string == "subscribed" }!["version"]!.integer!
    let ofB = Set(got.filter { $0["candle"]?["symbol"]?.string == "B" }.map { $0["candle"]!["version"]!.integer! })
    let missing = life.log.indices.compactMap { index -> Int64? in
      if case .candle("B", _, _, _) = life.log[index], index + 1 > joined { Int64(index + 1) } else { nil }
    }
    return (got.compactMap { $0["candle"]?["version"]?.integer }, missing.filter { !ofB.contains($0) })
  }

  @Test func aTopicThatJoinsDuringAReplayMissesNothing() {
    let faults = (0..<400).filter { !join(seed: UInt64($0)).missing.isEmpty }
    // The read that is under way does not have the topic, yet its answer moves the cursor past it.
    withKnownIssue { #expect(faults.isEmpty) }
  }

  @Test func aTopicThatJoinsAfterAReplayKeepsTheVersionOrder() {
    let faults = (0..<400).filter { seed in
      let versions = join(seed: UInt64(seed)).versions
      return versions != versions.sorted() || Set(versions).count != versions.count
    }
    // A replay reads what is committed, ahead of what is published; the topic begins at what is published.
    withKnownIssue { #expect(faults.isEmpty) }
  }
}
