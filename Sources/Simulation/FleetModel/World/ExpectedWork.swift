import EventSimulation

/// Time that messages have lately taken a server, by ``Message/kind``.
struct ExpectedWork {
    /// Weight of what is older over that of a new time, as our server has it (`WorkEstimates`).
    private static let memory: Int64 = 16

    private var times: [SimulatedDuration] = []

    /// Zero until there was one.
    subscript(kind: Int) -> SimulatedDuration { times.indices.contains(kind) ? times[kind] : .zero }

    mutating func note(_ duration: SimulatedDuration, kind: Int) {
        while times.count <= kind { times.append(.zero) }
        let before = times[kind].nanoseconds
        times[kind] =
            before == 0
            ? duration
            : SimulatedDuration(nanoseconds: before + (duration.nanoseconds - before) / Self.memory)
    }
}
