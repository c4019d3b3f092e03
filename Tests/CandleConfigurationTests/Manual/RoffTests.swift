import Testing

@testable import CandleConfiguration

@Suite struct RoffTests {
  private func body(_ write: (inout Roff) -> Void) -> String {
    var page = Roff("X", section: 1, date: "2024-01-31", source: "x 1")
    let head = page.text
    write(&page)
    return String(page.text.dropFirst(head.count))
  }

  @Test func thePageBeginsWithItsTitle() {
    let page = Roff("CANDLED", section: 1, date: "2024-01-31", source: "candled 1")
    #expect(page.text.hasPrefix(".TH CANDLED 1 \"2024-01-31\" \"candled 1\" \"\"\n"))
  }

  @Test func dashesBackslashesAndQuotesAreTheOnesThatAreTyped() {
    #expect(Roff.escaped("--db a\\b 'c' \"d\" […]") == "\\-\\-db a\\eb \\(aqc\\(aq \\(dqd\\(dq [...]")
  }

  @Test func noLineOfTextIsTakenForARequest() {
    #expect(body { $0.paragraph(".SH no\n'x'\nyes") } == ".PP\n\\&.SH no\n\\(aqx\\(aq\nyes\n")
  }

  @Test func aTermHasItsNoteBehindIt() {
    #expect(
      body { $0.term("--db", note: "FILE", "The database.") } == ".TP\n\\fB\\-\\-db\\fR \\fIFILE\\fR\nThe database.\n")
    #expect(body { $0.term("x", "y") } == ".TP\n\\fBx\\fR\ny\n")
  }

  @Test func whatIsVerbatimKeepsItsLines() {
    #expect(body { $0.verbatim("a:\n  - b") } == ".PP\n.EX\na:\n  \\- b\n.EE\n")
  }
}
