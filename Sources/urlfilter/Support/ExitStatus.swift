import ArgumentParser
import Decoding

/// What the process tells the shell. Scripts depend on these numbers.
enum ExitStatus: Int32 {
    case success = 0
    /// A bug or an environment failure.
    case failure = 1
    /// The run finished and at least one objective was missed.
    case objectiveMissed = 2
    /// A comparison found something worse than before.
    case regression = 3
    case usage = 64
    case invalidInput = 65
    case interrupted = 130
    /// Nobody read standard output to its end: what a shell reports of any program that SIGPIPE ends.
    case readerGone = 141

    var code: ExitCode { ExitCode(rawValue) }
}

extension ExitStatus {
    init(of error: any Error) {
        switch error {
        case StandardOutputError.readerGone: self = .readerGone
        case let error as any InputFault where error.isOfInput: self = .invalidInput
        default: self = .failure
        }
    }
}
