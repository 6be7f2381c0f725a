import Decoding

/// Why nothing can be fitted to a log, and what to do.
package enum ObservationProblem: InputFault, Equatable, CustomStringConvertible {
    case tooFew(String, found: Int, needed: Int)
    case noDuration
    case tooShort(seconds: Double)
    case tooLong(days: Double)
    /// - Parameter thousands: How many times the unit is a thousand times too large; below 0: too small.
    case unlikelyUnit(median: Double, expected: Double, thousands: Int)
    case bytesAreNoSizes(Double)
    case lookupsNotTold
    case gatewayNeedsBytes
    case notThisArchitecture
    case onlyModelled(String)
    case countersRestart(time: String)
    case mixed

    package var description: String {
        switch self {
        case .tooFew(let what, let found, let needed):
            "the part to be fitted has \(found) \(what); \(needed - found) more would do, from a longer log"
        case .noDuration:
            "column 'duration': the log has none, and no service time can be fitted; log it (nginx $request_time,"
                + " Apache %D), or name it with --column duration=NAME"
        case .tooShort(let seconds):
            "the log covers \(seconds) s; it takes a minute at least"
        case .tooLong(let days):
            "the log covers \(days) days, and 400 are read at most; is a time wrong?"
        case .unlikelyUnit(let median, let expected, let thousands):
            "column 'duration': a lookup that did not wait took \(LogFit.text(median)) s at the server, and the real "
                + "cryptography takes \(LogFit.text(expected)) s on this machine; the unit is wrong, or the column"
                + "; give --duration-unit one that is \(thousands > 0 ? "smaller" : "larger"), by a factor of 1 000"
                + (abs(thousands) > 1 ? " once or twice" : "")
                + ", or name the right column with --column duration=NAME"
        case .bytesAreNoSizes(let median):
            "column 'bytes': half of the answers to lookups have at most \(Int(saturating: median)) bytes, and a PIR"
                + " answer has thousands; name the right column with --column bytes=NAME"
        case .lookupsNotTold:
            "column 'endpoint': there is no request to /queries, /gateway or /relay; name the right column with"
                + " --column endpoint=NAME"
        case .gatewayNeedsBytes:
            "column 'bytes': the log of a gateway tells lookups from other requests by the size of the answer, and has "
                + "none; log it, or give the log of the PIR server"
        case .notThisArchitecture:
            "only the URL filter has lookups to calibrate; leave 'architecture' out"
        case .onlyModelled(let scheme):
            "services.pir.implementation: no server of '\(scheme)' wrote a log, as it is modelled from a paper; leave"
                + " it out, or name the server that did"
        case .countersRestart(let time):
            "fewer than three pages of counters that only grow end at \(time); a server that restarts counts anew,"
                + " give the pages of one run of it"
        case .mixed:
            "pages of Prometheus and access logs are fitted apart; give one kind"
        }
    }
}
