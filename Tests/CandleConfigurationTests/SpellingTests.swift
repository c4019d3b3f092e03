import Testing

@testable import CandleConfiguration

@Suite struct SpellingTests {
  @Test(arguments: [
    ("grase", "grace"), ("garce", "grace"), ("Grace", "grace"), ("graces", "grace"), ("max-ahead", "max_ahead"),
    ("correctionwindow", "correction_window"), ("maxahed", "max_ahead"),
  ])
  func nearIsFound(word: String, key: String) {
    #expect(Spelling.nearest(to: word, in: ["grace", "correction_window", "max_ahead"]) == key)
  }

  @Test(arguments: ["", "g", "colour", String(repeating: "grace", count: 1_000)]) func farIsNot(word: String) {
    #expect(Spelling.nearest(to: word, in: ["grace", "correction_window"]) == nil)
  }
}
