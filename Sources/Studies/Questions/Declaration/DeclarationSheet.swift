package import Experiment
import RunMetrics

/// Answers to Apple's form for a URL filter's relay, and what can go wrong with them.
///
/// The form wants request and response sizes, and peak requests per second and requests per day for each continent
/// (article "Device", section "Onboarding and relay"). Apple publishes neither how sizes are rounded nor what is
/// enforced; field reports say that the relay refuses what is larger than declared.
package struct DeclarationSheet: Codable, Equatable, Sendable {
    package var traffic: ObservedTraffic
    /// Kind of day that was observed; absent where nobody knows, as in a replay.
    package var day: DayKind?
    package var margin: DeclarationMargin
    /// Recommendations, one for each region of the traffic, in its order.
    package var recommendations: [Recommendation]
    /// Largest messages that the relay is assumed to forward, bytes.
    package var requestCap: Int?
    package var responseCap: Int?
    /// Messages that these caps would refuse.
    package var refused: [Refusal]
    package var warnings: [Warning]
    /// How far requests a day and in the busiest second move over what nobody knows; absent where the run was asked of
    /// chance alone, and in documents of earlier versions.
    package var ignorance: IgnoranceResult?

    package struct Refusal: Codable, Equatable, Sendable {
        package enum Direction: String, Codable, Sendable { case request, response }

        /// How much of the endpoint's traffic is hit.
        package enum Share: String, Codable, Sendable {
            case all = "every one"
            case half = "at least half of them"
            case few = "1 % of them or more"
            case rare = "less than 1 % of them"
        }

        package var endpoint: String
        package var direction: Direction
        package var share: Share
        /// The largest message of this kind, bytes.
        package var largest: Double
    }

    package struct Warning: Codable, Equatable, Sendable {
        package var code: WarningCode
        package var message: String
    }

    /// - Parameters:
    ///   - requestCap: Largest request that the relay forwards, bytes; `nil` if nobody asks.
    ///   - hosts: Gateway, issuer and service as they would be declared.
    ///   - otherDays: Kinds of days that other sheets of the same declaration are about.
    package init(
        _ traffic: ObservedTraffic, day: DayKind? = nil, margin: DeclarationMargin = DeclarationMargin(),
        requestCap: Int?, responseCap: Int?, hosts: [String], otherDays: Set<DayKind> = []
    ) {
        self.traffic = traffic
        self.day = day
        self.margin = margin
        recommendations = Recommendation.all(of: traffic, margin: margin)
        self.requestCap = requestCap
        self.responseCap = responseCap
        refused = traffic.endpoints.flatMap { endpoint in
            [
                Self.refusal(endpoint.name, .request, endpoint.request, cap: requestCap),
                Self.refusal(endpoint.name, .response, endpoint.response, cap: responseCap),
            ].compactMap(\.self)
        }
        warnings =
            SheetWarnings(
                traffic: traffic, refused: refused, hosts: hosts, recommendations: recommendations,
                days: otherDays.union(day.map { [$0] } ?? [])
            ).all
    }

    private static func refusal(
        _ endpoint: String, _ direction: Refusal.Direction, _ sizes: ObservedTraffic.Sizes?, cap: Int?
    ) -> Refusal? {
        guard let cap = cap.map(Double.init), let sizes, sizes.max > cap else { return nil }
        // Without the smallest size, all are known to be refused only where all are equal.
        let share: Refusal.Share =
            sizes.p50 > cap ? (sizes.p50 == sizes.max ? .all : .half) : sizes.p99 > cap ? .few : .rare
        return Refusal(endpoint: endpoint, direction: direction, share: share, largest: sizes.max)
    }
}

/// The sheets of a result, one per point.
package struct SheetDocument: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.sheet/1"

    package var schema = Self.schema
    package var sheets: [DeclarationSheet]
    /// Numbers that cover every sheet; see ``DeclarationCover``.
    package var declare: [DeclarationCover]

    package init(sheets: [DeclarationSheet]) {
        self.sheets = sheets
        declare = DeclarationCover.all(of: sheets)
    }
}
