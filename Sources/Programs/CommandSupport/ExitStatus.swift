package import ArgumentParser
import Decoding
package import Experiment

/// Exit code that the process gives the shell. Scripts depend on these numbers.
package enum ExitStatus: Int32 {
    case success = 0
    /// A bug or an environment failure.
    case failure = 1
    /// The run finished and at least one objective was missed.
    case objectiveMissed = 2
    /// A comparison found something worse than before.
    case regression = 3
    /// The run finished, no objective was missed, and at least one needs more replications to tell.
    case objectiveUndecided = 4
    case usage = 64
    case invalidInput = 65
    case interrupted = 130
    /// Nobody read standard output to its end: what a shell reports of any program that SIGPIPE ends.
    case readerGone = 141

    package var code: ExitCode { ExitCode(rawValue) }
}

extension ExitStatus {
    package init(of error: any Error) {
        switch error {
        case StandardOutputError.readerGone: self = .readerGone
        case let error as any InputFault where error.isOfInput: self = .invalidInput
        default: self = .failure
        }
    }
}

extension ExitStatus {
    /// - Throws: The exit code of objectives that were not all passed.
    package static func check(objectivesOf result: RunResult) throws {
        if result.hasMissedObjective { throw objectiveMissed.code }
        if result.hasUndecidedObjective { throw objectiveUndecided.code }
    }
}
