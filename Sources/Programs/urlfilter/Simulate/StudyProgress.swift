import Experiment
import Foundation
import Report
import Synchronization
import Wording

/// How far a command is that runs several simulations, and how long the rest takes.
///
/// Work is counted in simulated days of a device (``SweepPlan/deviceDays``), which take about the same time in all
/// simulations of a command.
final class StudyProgress: Sendable {
    private struct State {
        var noun = "simulation"
        var steps = 0
        var work = 0.0
        var laterSteps = 0
        var laterWork = 0.0
        /// Work of the simulation under way; 0 between two.
        var current = 0.0
        var began = Date()
        /// Fewer may be enough.
        var isBound = false
    }

    private let state = Mutex(State())

    /// Says what is still to be done, from now on.
    ///
    /// - Parameters:
    ///   - work: Of each simulation that is left.
    ///   - noun: What one is called.
    ///   - isBound: The command may find that it needs fewer.
    func expect(_ work: [Double], noun: String = "simulation", isBound: Bool = false) {
        state.withLock { state in
            if state.steps == 0 { state.began = Date() }
            (state.noun, state.isBound) = (noun, isBound)
            (state.laterSteps, state.laterWork) = (work.count, work.reduce(0, +))
        }
    }

    func begin(_ work: Double) {
        state.withLock { state in
            state.current = work
            state.laterSteps = max(0, state.laterSteps - 1)
            state.laterWork = max(0, state.laterWork - work)
        }
    }

    func end() {
        state.withLock { state in
            state.steps += 1
            state.work += state.current
            state.current = 0
        }
    }

    /// Counts a simulation that an earlier run has kept, which took no time.
    func skip(_ work: Double) {
        begin(work)
        state.withLock { state in
            state.steps += 1
            state.current = 0
        }
    }

    /// How many simulations have ended.
    var done: Int { state.withLock { $0.steps } }

    /// `simulation 3 of 14, 21 % done, 3.20 min left: `; empty for a single one.
    ///
    /// - Parameter share: Of the simulation under way.
    func text(share: Double) -> String {
        state.withLock { state in
            let all = state.steps + 1 + state.laterSteps
            guard all > 1 else { return "" }
            let done = state.work + state.current * share
            let left = state.current * (1 - share) + state.laterWork
            var text = "\(state.noun) \(state.steps + 1) of \(state.isBound ? "at most " : "")\(all)"
            guard done > 0, share > 0 || state.steps > 0 else { return text + ": " }
            text += ", \(Format.percent((done / (done + left) * 100).rounded() / 100)) done"
            let seconds = Date().timeIntervalSince(state.began) * left / done
            return text + ", \(Format.duration(seconds)) left: "
        }
    }
}
