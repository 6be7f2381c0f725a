/// Finds the largest size that still meets the objectives, or the smallest that does.
///
/// Doubles or halves from a first guess until one size passes and one fails, then halves the gap between
/// them. Assumes that growing the load never helps and that adding servers never hurts.
package struct CapacitySearch: Sendable {
    package enum Goal: String, Codable, Sendable {
        /// More devices are harder to serve: the largest size that passes.
        case largest
        /// More servers are easier: the smallest size that passes.
        case smallest
    }

    package var goal: Goal
    package var bounds: ClosedRange<Int>
    /// Stop when the gap is at most this share of the size, or one.
    package var tolerance: Double

    package init(goal: Goal, bounds: ClosedRange<Int>, tolerance: Double) {
        precondition(bounds.lowerBound >= 1 && tolerance > 0, "sizes are positive, and so is the tolerance")
        self.goal = goal
        self.bounds = bounds
        self.tolerance = tolerance
    }

    package struct Outcome: Codable, Equatable, Sendable {
        /// `nil` if no size within the bounds was seen to pass.
        package var answer: Int?
        /// The nearest size on the other side that failed, or could not be told.
        package var next: Int?
        /// Every size that was tried, ascending.
        package var trials: [CapacityTrial]
        /// A size whose verdict stayed open stands between answer and next.
        package var isUndecided: Bool
        /// The largest load, or the size at which the search ended, that had no data for an objective. What such a size
        /// would do nobody knows, so it counts neither as passed nor as failed.
        package var withoutData: Int?
        /// A size was given up before its verdict, so that the search ended where it was.
        package var isInterrupted: Bool
    }

    /// - Parameters:
    ///   - guess: Where to begin.
    ///   - attempt: Runs one size. Returns `nil` to stop the search.
    package func run(
        from guess: Int, attempt: (Int) async throws -> CapacityTrial?
    ) async rethrows -> Outcome {
        var trials: [Int: CapacityTrial] = [:]
        var easy: Int?
        var hard: Int?
        var blank: Int?
        var isInterrupted = false
        var size = min(max(guess, bounds.lowerBound), bounds.upperBound)
        search: while true {
            if trials[size] == nil { trials[size] = try await attempt(size) }
            switch trials[size]?.verdict {
            case nil:
                isInterrupted = true
                break search
            case .passes: easy = size
            case .noData where easy == nil:
                blank = size
                // Fewer servers bring no more lookups; more devices do.
                if goal == .smallest { break search }
            case .fails, .cannotTell, .noData: hard = size
            }
            let next: Int
            switch (easy ?? blank, hard) {
            case (let easy?, let hard?):
                let gap = (easy - hard).magnitude
                if gap <= 1 || Double(gap) <= tolerance * Double(max(easy, hard)) { break search }
                next = easy < hard ? easy + Int(gap / 2) : hard + Int(gap / 2)
            case (let easy?, nil): next = clamped(harder(easy))
            case (nil, let hard?): next = clamped(easier(hard))
            case (nil, nil): break search
            }
            if next == size { break }
            size = next
        }
        return Outcome(
            answer: easy, next: hard, trials: trials.values.sorted { $0.size < $1.size },
            isUndecided: hard.flatMap { trials[$0] }.map { $0.verdict != .fails } ?? false,
            withoutData: easy == nil ? blank : nil, isInterrupted: isInterrupted)
    }

    private func clamped(_ size: Int) -> Int { min(max(size, bounds.lowerBound), bounds.upperBound) }

    private func harder(_ size: Int) -> Int { goal == .largest ? grown(size) : shrunk(size) }
    private func easier(_ size: Int) -> Int { goal == .largest ? shrunk(size) : grown(size) }

    private func grown(_ size: Int) -> Int {
        size > bounds.upperBound / 2 ? bounds.upperBound : max(size + 1, size + size / 2)
    }
    private func shrunk(_ size: Int) -> Int { min(size - 1, size * 2 / 3) }
}
