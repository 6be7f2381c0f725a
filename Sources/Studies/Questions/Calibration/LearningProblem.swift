import Decoding
import Foundation

/// Why a log cannot narrow the ranges of a scenario, and what to do.
package enum LearningProblem: InputFault, Equatable, CustomStringConvertible {
    case notADay(hours: Double)
    case onlyPages
    case nothingFollows
    case tooNarrow(effective: Double, draws: Int)
    case noBrowsing

    package var description: String {
        switch self {
        case .notADay(let hours):
            "the part to be fitted has \(hours) h, and ranges are of whole days; give a log of 24 h and more beside"
                + " --held-out, or leave --learned out"
        case .onlyPages:
            "pages of Prometheus tell no devices and no hours of single requests; --learned takes an access log"
        case .nothingFollows:
            "no figure of the log follows from what the scenario leaves open; leave --learned out"
        case .tooNarrow(let effective, let draws):
            "the log leaves \(String(format: "%.0f", effective)) of \(draws) draws of what is plausible, too few to"
                + " tell ranges; narrow what you know in the scenario, such as coverage: 60%..80%"
        case .noBrowsing:
            "--learned keeps the browsing of the scenario, and here devices only look up or replay a trace; give a"
                + " scenario whose devices browse by a profile"
        }
    }
}
