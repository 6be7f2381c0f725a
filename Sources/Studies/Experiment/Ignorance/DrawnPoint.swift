import Scenarios

/// A point among what nobody knows, and the scenario there.
struct DrawnPoint {
    let place: [Double]
    let scenario: Scenario

    /// Ends of two ranges may contradict each other: then the point moves towards the middle of all of them.
    ///
    /// - Parameters:
    ///   - place: A place of each input.
    ///   - acts: Whether the scenario has an input; the others change nothing.
    ///   - make: The scenario with changes as `--set` takes them.
    init(
        _ inputs: [PlausibleInput], at place: [Double], where acts: (PlausibleInput) -> Bool = { _ in true },
        _ make: (_ changes: [String]) throws -> Scenario
    ) throws {
        func made(_ place: [Double]) throws -> Scenario {
            try make(zip(inputs, place).flatMap { acts($0) ? $0.changes(at: $1) : [] })
        }
        do {
            (self.place, scenario) = (place, try made(place))
        } catch is ScenarioError {
            let nearer = place.map { 0.5 + 0.9 * ($0 - 0.5) }
            (self.place, scenario) = (nearer, try made(nearer))
        }
    }
}
