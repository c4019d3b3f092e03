import CandleEngine
import CandleFeeds
import CandleNet
import CandleWire

extension Daemon {
  /// What the address of a stream asks for.
  func streamParameters(_ query: String) -> Result<StreamParameters, RequestError> {
    do throws(RequestError) {
      return .success(
        try StreamParameters.parse(
          QueryParameters(query), timeframes: engine.timeframes, maximumSnapshot: settings.maximumSnapshot,
          maximumTopics: settings.topicsPerConnection, isSymbol: SymbolName.isValid, zone: NamedZones.rule))
    } catch {
      return .failure(error)
    }
  }

  func openStream(_ c: ConnectionID, _ request: UpgradeRequest) {
    // It was looked at before the upgrade; a new configuration may have come between.
    guard case .success(let wanted) = streamParameters(request.query) else { return hub.connect(c.raw) }
    hub.connect(c.raw, format: wanted.format, corrections: wanted.corrections)
    hub.subscribe(c.raw, wanted.topics, start: wanted.snapshot.map { .snapshot($0) } ?? .now)
    hub.takeEffects(carryOut)
  }
}
