import CandleConfiguration
import Testing

@Suite struct GeneratedPagesTests {
  @Test func theTableOfKeysIsTheOneThatTheProgramWrites() throws {
    #expect(try House.text("docs/configuration-keys.md") == Configuration.reference())
  }
}
