import Timing

/// CPU time of one event, over five runs of `body` after one that is not counted.
///
/// - Parameter body: Runs part of a simulation, at least one event, and returns how many.
func measureEvents(_ name: String, _ body: () throws -> Int) rethrows -> Measurement {
    _ = try body()
    let samples = try (0..<5).map { _ in
        let (events, nanoseconds) = try CPUClock.measure(body)
        return Double(nanoseconds) / Double(events)
    }
    return Measurement(name: name, nanoseconds: samples)
}
