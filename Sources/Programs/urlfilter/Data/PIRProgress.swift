import CommandSupport
import PrivateInformationRetrieval
import Report
import Synchronization
import Timing
import Wording

/// Progress of `pir process` on standard error: a bar with the time that is left.
final class ShardProgress: Sendable {
    private let line = ProgressLine(isQuiet: false)
    private let state = Mutex(State())

    private struct State {
        var finished = 0
        var started = ContinuousClock.now
    }

    var finishedCount: Int { state.withLock { $0.finished } }

    func note(_ text: String) { line.show(text) }

    func finish() { line.finish() }

    func show(_ step: DatabaseProcessor.Progress) {
        switch step {
        case .rowsRead(let count): line.show("\(Format.count(count)) rows read")
        case .shardCompared(let shard, let total): line.show("shard \(shard + 1)/\(total) compared")
        case .shardFinished(_, let total):
            let (finished, started) = state.withLock { state in
                if state.finished == 0 { state.started = ContinuousClock.now }
                state.finished += 1
                return (state.finished, state.started)
            }
            line.show(Self.bar(finished, of: total, since: started))
        }
    }

    /// The first shard sets the clock going, so that reading does not count.
    private static func bar(_ finished: Int, of total: Int, since started: ContinuousClock.Instant) -> String
    {
        let width = 24
        let filled = finished * width / max(total, 1)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        var text = "[\(bar)] shard \(finished)/\(total)  \(finished * 100 / max(total, 1)) %"
        if finished > 1, finished < total {
            let perShard = (ContinuousClock.now - started).seconds / Double(finished - 1)
            text += "  ETA \(Format.duration(perShard * Double(total - finished)))"
        }
        return text
    }
}
