import CandleConfiguration
import Testing

@Suite struct ExampleConfigurationTests {
  @Test func theInstalledFileIsTheDefaultsButForThePathOfTheDatabase() throws {
    let text = try House.text("systemd/candled.yaml")
    var expected = Configuration()
    expected.database = "/var/lib/candled/candles.db"
    #expect(try Configuration.parse(text: text, file: "candled.yaml").get() == expected)
  }

  @Test func theInstalledFileIsTheExampleThatTheProgramWrites() throws {
    var configuration = Configuration()
    configuration.database = "/var/lib/candled/candles.db"
    #expect(try House.text("systemd/candled.yaml") == Configuration.example(of: configuration))
  }
}
