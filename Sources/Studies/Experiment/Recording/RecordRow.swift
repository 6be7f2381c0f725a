import EventSimulation
import FleetModel
import URLFilter

/// The rows of `--records`; the article "Results" says what the columns hold.
package enum RecordRow {
    private static let stages = Stage.allCases.map(\.rawValue)

    package static let header =
        ([
            "replication", "kind", "device", "lookup", "startNanoseconds", "waitNanoseconds", "outcome",
            "cause",
            "listed", "keywords", "requests", "requestBytes", "responseBytes",
        ] + stages.map { $0 + "Nanoseconds" }).joined(separator: ",") + "\r\n"

    static func text(_ url: LoggedURL, replication: Int) -> String {
        let number = url.lookup.map { "\($0)" } ?? ""
        let wait = url.wait.map { "\($0.nanoseconds)" } ?? ""
        return "\(replication),url,\(url.device),\(number),\(url.started.nanoseconds),\(wait),"
            + "\(url.verdict?.rawValue ?? "unfinished"),\(url.cause?.rawValue ?? ""),\(url.isListed ? 1 : 0),,,,"
            + String(repeating: ",", count: stages.count) + "\r\n"
    }

    static func text(_ lookup: LoggedLookup, replication: Int) -> String {
        let (outcome, cause, listed) =
            switch lookup.outcome {
            case .answered(let isListed): ("answered", "", isListed ? "1" : "0")
            case .failed(let cause): ("failed", cause.rawValue, "")
            case .unfinished: ("unfinished", "", "")
            }
        let wait = lookup.outcome == .unfinished ? "" : "\(lookup.duration.nanoseconds)"
        let requestBytes = lookup.requests.reduce(0) { $0 + $1.requestBytes }
        let responseBytes = lookup.requests.reduce(0) { $0 + $1.responseBytes }
        return
            "\(replication),lookup,\(lookup.device),\(lookup.number),\(lookup.started.nanoseconds),\(wait),\(outcome),"
            + "\(cause),\(listed),\(lookup.keywords),\(lookup.requests.count),\(requestBytes),\(responseBytes)"
            + Stage.allCases.map { stage in "," + (lookup.stages[stage].map { "\($0.nanoseconds)" } ?? "") }
            .joined()
            + "\r\n"
    }
}
