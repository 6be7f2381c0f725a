import FleetModel
import Questions
import Wording

/// Storms at the servers: each of them, what they cost of a month's errors, and how far a bad roll-out reaches.
extension ServerPlanAnswer {
    var storms: Table? {
        guard let rows = result.storms?.rows else { return nil }
        return Table(
            title: "Storms.",
            caption:
                "At the busiest time of the region that each is worst for, by closed form: work that comes evenly over"
                + " a time on top of the ordinary load; what would wait longer than servers and devices let it is"
                + " refused. Bears: the time over which it has to be spread, and the cores, for the plan's target.",
            captionLevel: .details,
            columns: [
                "STORM", "in", "asks for", "of", "longest wait", "lasts", "refused", "spread that bears it",
                "cores that bear it", "knob",
            ].map { Table.Column($0, isWords: ["STORM", "in", "knob"].contains($0)) },
            rows: rows.map { row in
                let isBytes = row.kind == .edition
                let unit: Quantity.Unit = isBytes ? .bytes : .number
                let name = Self.name(row.kind) + (row.region.map { ", \($0)" } ?? "")
                return [
                    .words("  " + name), .words(Format.duration(row.spread)),
                    .quantity(row.demand, unit),
                    row.capacity.map { .quantity($0, unit) } ?? .words("no limit"),
                    .quantity(row.longestWait, .wait),
                    row.length.map { .quantity($0, .duration) } ?? .words("does not end"),
                    .quantity(row.refusedShare, .share), .quantity(row.leastSpread, .duration),
                    isBytes ? .none : .number(row.needed), .words(row.knob ?? "–"),
                ]
            }, names: 1, isOpen: true)
    }

    var losses: Table? {
        guard let storms = result.storms else { return nil }
        return Table(
            title: "A month's errors.",
            caption:
                "Lookups that one event of each kind costs, of the \(Format.number(storms.budget)) that a month may"
                + " lose where \(Format.percent(storms.objective)) have to succeed (assumption); 1 is all of them.",
            captionLevel: .details,
            columns: [
                Table.Column("ONE EVENT", isWords: true), Table.Column("lookups"),
                Table.Column("of the month's"),
            ],
            rows: storms.losses.map { loss in
                [
                    .words("  " + Self.name(ofEvent: loss.event)), .number(loss.lookups),
                    .quantity(loss.budgetShare, .share),
                ]
            }, names: 1, isOpen: true)
    }

    var canaries: Table? {
        guard let storms = result.storms else { return nil }
        return Table(
            title: "Roll-out to some first.",
            caption:
                "Reached by a bad one until it is seen, after"
                + " \(Format.duration(storms.canaries.first?.detection ?? 0)) (assumption): devices that fetched the"
                + " edition, lookups that the version of the PIR server answered.",
            captionLevel: .details,
            columns: [
                Table.Column("FIRST TO", isWords: true), Table.Column("edition: devices"),
                Table.Column("server: lookups"),
            ],
            rows: storms.canaries.map { canary in
                [
                    .words("  " + Format.share(canary.share)),
                    canary.subject == .edition ? .number(canary.reached) : .none,
                    canary.subject == .server ? .number(canary.reached) : .none,
                ]
            }, names: 1, isOpen: true)
    }

    private static func name(_ kind: StormForecast.Kind) -> String {
        switch kind {
        case .retries: "retries after an outage"
        case .push: "a push notification"
        case .edition: "all fetch an edition"
        case .regionReturn: "a region's return"
        case .coldStart: "cold servers after a restart"
        }
    }

    private static func name(ofEvent event: String) -> String {
        if let kind = StormForecast.Kind(rawValue: event) { return name(kind) }
        return switch ServerPlan.State.Situation(rawValue: event) {
        case .instanceLost: "an instance is lost"
        case .regionLost: "a region is lost"
        case .restart: "all restart"
        case .launch: "launch"
        case .healthy, nil: event
        }
    }
}
