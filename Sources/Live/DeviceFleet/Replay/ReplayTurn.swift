import Synchronization

/// Whose turn it is among the devices of a replay.
final class ReplayTurn: Sendable {
    private struct State {
        var last = -1
        var leftOut: Set<Int> = []
    }

    private let devices: Int
    private let state = Mutex(State())

    init(devices: Int) { self.devices = devices }

    /// The next device that is not left out.
    func next() -> Int {
        state.withLock { state in
            repeat { state.last = (state.last + 1) % devices } while state.leftOut.contains(state.last)
            return state.last
        }
    }

    /// - Returns: False for the last one, which has to stay.
    func leaveOut(_ device: Int) -> Bool {
        state.withLock { state in
            guard state.leftOut.count + 1 < devices else { return false }
            return state.leftOut.insert(device).inserted
        }
    }

    func takeBack(_ device: Int) { state.withLock { _ = $0.leftOut.remove(device) } }
}
