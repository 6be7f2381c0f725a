import Experiment
import URLFilter
import Wording

/// The causes of a harm in words, the largest first.
enum HarmText {
    /// One clause for each cause: how many, why, and what changes it at which price.
    static func clauses(_ harm: Harm, of point: PointResult) -> [String] {
        point.harms?.first { $0.harm == harm }.map(clauses) ?? []
    }

    /// The same without what changes them.
    static func causes(_ harm: Harm, of point: PointResult) -> [String] {
        let causes = point.harms?.first { $0.harm == harm }?.causes ?? []
        return causes.map { clause(number($0), $0, of: harm) }
    }

    private static func clauses(_ harm: HarmResult) -> [String] {
        harm.causes.map { clause(number($0), $0, of: harm.harm) + inBrackets(lever($0)) }
    }

    private static func clause(_ amount: String, _ cause: HarmResult.Cause, of harm: Harm) -> String {
        "\(amount) because \(reason(cause.cause, cause.failure, of: harm))"
    }

    private static func number(_ cause: HarmResult.Cause) -> String {
        Format.number(cause.perThousandDeviceDays ?? cause.count)
    }

    private static func inBrackets(_ text: String?) -> String { text.map { " (\($0))" } ?? "" }

    /// The largest cause with its part of the harm; `nil` for a harm that was not seen.
    static func largest(_ harm: HarmResult) -> String? {
        harm.causes.first.map { cause in
            let part = cause.share > 0.995 ? "all" : Format.share(cause.share)
            return clause(part, cause, of: harm.harm) + inBrackets(lever(cause))
        }
    }

    static func reason(_ cause: HarmCause, _ failure: FailureCause?, of harm: Harm) -> String {
        switch (cause, harm) {
        case (.stale, .leaked): "what decided was older than their entry"
        case (.stale, _): "what decided did not know that an entry is gone"
        case (.unmatchable, _): "their entry cannot match"
        case (.notCovered, _): "their app does not let the filter see them"
        case (.unknown, _): "their app was told 'unknown' and loaded them"
        case (.grain, .leaked): "the filter knows less than the list says"
        case (.grain, _): "the filter blocks the whole host of an entry"
        case (.wildcard, _): "a part of the address looks like an entry"
        case (.undecided, .brokenPages): "something on them was blocked without an answer"
        case (.undecided, _): failure.map(words) ?? "no answer came"
        case (.late, _): "the device waited for an answer until it gave up"
        case (.unserved, _): "the servers were full"
        }
    }

    private static func words(_ failure: FailureCause) -> String {
        switch failure {
        case .timeout: "no answer came in time"
        case .notReady: "the device had no prefilter or no PIR configuration yet"
        case .tokenRefused: "the PIR server refused the token"
        case .keyMissing: "the PIR server had no evaluation key of the device"
        case .configurationGone: "the configuration was no longer served"
        case .tooLarge: "the relay refused messages of that size"
        case .noToken: "no token could be had"
        case .unavailable: "a server was down or full"
        case .network: "no answer came that could be opened"
        }
    }

    /// Over a column of a table.
    static func name(_ cause: HarmCause) -> String {
        switch cause {
        case .stale: "out of date"
        case .unmatchable: "cannot match"
        case .notCovered: "not seen"
        case .unknown: "unknown"
        case .grain: "grain"
        case .wildcard: "wildcard"
        case .undecided: "no answer"
        case .late: "too late"
        case .unserved: "servers full"
        }
    }

    /// The setting that changes it, and what that costs.
    private static func lever(_ cause: HarmResult.Cause) -> String? {
        guard let setting = cause.setting else { return nil }
        guard let remedy = cause.remedy else { return setting }
        let price =
            switch remedy.cost {
            case .downloads: "\(Format.number(remedy.amount)) times the downloads"
            case .wrongBlocks: "blocks \(Format.number(remedy.amount)) others"
            case .leaks: "lets \(Format.number(remedy.amount)) through"
            }
        return "\(setting): \(remedy.value) leaves \(Format.number(remedy.leaves)), \(price)"
    }
}
