import Decoding
import FleetModel
package import Questions
import Scenarios
import Wording

extension Document {
    package init(_ plan: TenantPlan) { self = TenantAnswer(plan: plan).document }
}

/// Several tenants: one cluster or several, what sharing saves, and what each gets from the others' storms.
struct TenantAnswer {
    /// Tenants on one screen, where more than three do not fit.
    private static let mostRows = 2

    let plan: TenantPlan

    private var clusters: [TenantPlan.Cluster] { plan.kin.compactMap(\.advised) }
    private var everyone: [String] { plan.tenants.map(\.name) }

    var document: Document {
        let devices = plan.tenants.reduce(0) { $0 + $1.devices }
        let facts = [
            "\(Format.count(plan.tenants.count, "tenant")), \(Format.count(devices, "device")): share servers, or"
                + " each its own?",
            "by closed form, not confirmed by a simulation of shared servers, and without what nobody knows",
        ]
        return Document(
            title: "Tenants on shared servers", facts: facts, heading: facts,
            sections: [
                Document.Section(
                    "Answer",
                    verdicts.enumerated().map { place, verdict in
                        .verdict(verdict.words, verdict.judgement, at: place == 0 ? .all : .details)
                    } + [
                        .sentences(
                            verdicts.count > 1
                                ? ["\(Format.count(verdicts.count - 1, "more answer")) with --details"] : [],
                            at: .brief),
                        .sentences(
                            leftOut, at: verdicts.count > 1 ? .details : .all, margin: .init(first: 2)),
                        .sentences(clusters.flatMap(servers), at: .details, margin: .init(first: 2)), .gap(),
                    ]),
                Document.Section("Money", [.table(money), .gap(at: .full)]),
                Document.Section("Tenants", [.table(tenants), .gap(at: .full)]),
                Document.Section("A neighbour's storm", storms.rows.isEmpty ? [] : [.table(storms)]),
                Document.Section("How", [.gap(at: .full), .sentences(notes, at: .full)]),
            ],
            method: [.sentences(notes)], more: "more: --details; with a page to look at: --html FILE")
    }

    /// One for all who can share, and one for all who cannot.
    private var verdicts: [(words: String, judgement: Document.Judgement)] {
        let several = plan.kin.filter { $0.tenants.count > 1 }
        guard !several.isEmpty else {
            return [("KEEP APART: all have servers of their own.", .fail)]
        }
        return several.map { kin in
            kin.advised.map { (advice(kin, $0), .pass) } ?? (keptApart(kin), .fail)
        }
    }

    private func names(_ tenants: [String]) -> String {
        tenants.count < 4
            ? tenants.joined(separator: ", ")
            : tenants.prefix(2).joined(separator: ", ") + " and \(tenants.count - 2) others"
    }

    private func money(_ value: Double) -> String { "\(plan.currency) \(Format.number(value))" }

    private func advice(_ kin: TenantPlan.Kin, _ cluster: TenantPlan.Cluster) -> String {
        let range = kin.saving.map {
            " (\(Format.range($0.low, $0.high, Format.number)) over what the samples leave open)"
        }
        let saved =
            "\(names(cluster.tenants)) together cost \(money(cluster.plan.total)) a month,"
            + " \(Format.number(plan.total(cluster.tenants).money - cluster.plan.total)) less than"
            + " apart\(range ?? "")"
        guard cluster.queue == .fair, let worst = worst(cluster) else {
            return
                "SHARE: \(saved); first come, first served will do: no storm breaks a neighbour's objectives."
        }
        return "SHARE WITH A QUEUE THAT IS FAIR BETWEEN TENANTS: \(saved); first come, first served,"
            + " \(harm(worst))."
    }

    /// The storm that leaves the others least.
    private func worst(_ cluster: TenantPlan.Cluster) -> NeighbourStorm? {
        cluster.storms.max { left, right in
            let (left, right) = (left.worst(\.firstCome), right.worst(\.firstCome))
            return (left?.refusedShare ?? 0, left?.wait ?? 0) < (right?.refusedShare ?? 0, right?.wait ?? 0)
        }
    }

    private func harm(_ storm: NeighbourStorm) -> String {
        let worst = storm.worst(\.firstCome)
        return "\(words(storm.kind)) of \(storm.tenant) makes the others wait"
            + " \(Format.duration(worst?.wait ?? 0)) and has \(Format.share(worst?.refusedShare ?? 0)) of theirs"
            + " refused"
    }

    private func keptApart(_ kin: TenantPlan.Kin) -> String {
        let own = plan.total(kin.tenants).money
        let whole = kin.whole.map { whole in
            "; one cluster would save \(money(max(0, own - whole.plan.total))) a month"
                + (whole.queue == nil ? worst(whole).map { ", but \(harm($0))" } ?? "" : "")
        }
        let front = kin.frontOnly.flatMap { front in
            front.money < own
                ? "; gateway and issuer for all, with PIR servers for each, save \(money(own - front.money))"
                : nil
        }
        return "KEEP APART: \(names(kin.tenants)) each have servers of their own\(whole ?? "")\(front ?? "")."
    }

    private var leftOut: [String] {
        let reasons = plan.tenants.compactMap { tenant in tenant.apart.map { (tenant.name, $0) } }
        // All that have the same reason together.
        let groups = TenantPlan.Apart.allCases.compactMap { reason -> String? in
            let found = reasons.filter { $0.1 == reason }.map(\.0)
            return found.isEmpty ? nil : "\(names(found)), \(words(reason))"
        }
        return groups.isEmpty ? [] : ["servers of their own: " + groups.joined(separator: "; ")]
    }

    private func servers(_ cluster: TenantPlan.Cluster) -> [String] {
        cluster.plan.regions.map { region in
            let machines = region.machines.map { "\($0.service) \($0.instances) × \($0.coresPerInstance)" }
            return (region.name.map { "\($0): " } ?? "") + machines.joined(separator: ", ")
                + " cores; each PIR server holds \(Format.bytes(region[.pir]?.memoryPerInstance ?? 0)): all databases"
                + " twice, and keys where they are in memory"
        }
    }

    private func words(_ reason: TenantPlan.Apart) -> String {
        switch reason {
        case .otherRegions: "since none of the others has its regions"
        case .otherServers: "since the others' servers are set otherwise (server, keyStore, threads, scaling)"
        case .tooMuch: "since no machines hold all databases and keys, or keep waits short enough"
        case .storms: "since its storms break objectives of others, in a fair queue too"
        case .savesNothing: "since shared servers are not cheaper"
        case .nobodyLeft: "since those that it could share with are"
        }
    }

    private func words(_ kind: NeighbourStorm.Kind) -> String {
        switch kind {
        case .launch: "the launch"
        case .restart: "a restart"
        case .push: "a push notification"
        }
    }

    private var money: Table {
        let own = plan.total(everyone)
        var rows = [("each its own", own)]
        if plan.kin.contains(where: { $0.frontOnly != nil }) {
            rows.append(
                ("gateway and issuer for all", plan.total { kin in kin.frontOnly.map { (kin.tenants, $0) } }))
        }
        if plan.kin.contains(where: { $0.whole != nil && $0.whole != $0.advised }) {
            rows.append(
                (
                    "all shared, whatever storms do",
                    plan.total { kin in kin.whole.map { ($0.tenants, .init($0.plan)) } }
                ))
        }
        if !clusters.isEmpty {
            rows.append(
                ("as advised", plan.total { kin in kin.advised.map { ($0.tenants, .init($0.plan)) } }))
        }
        return Table(
            columns: ["MONEY", "instances", "cores", "\(plan.currency) a month", "saved"].map {
                Table.Column($0, isWords: $0 == "MONEY")
            },
            rows: rows.map { name, total in
                [
                    .words("  " + name), .count(total.instances), .count(total.cores), .number(total.money),
                    .quantity(own.money > 0 ? 1 - total.money / own.money : nil, .share),
                ]
            }, names: 1, isOpen: true)
    }

    private var tenants: Table {
        Table(
            caption:
                "Waits are those at all servers on the way of a lookup at the peak while all is well, longest of all"
                + " regions.",
            columns: [
                "TENANT", "devices", "peak PIR\ncores", "peak\nfrom", "own\ninstances",
                "\(plan.currency)\na month", "p95 wait\nown", "p95 wait\nshared", "p99 wait\nown",
                "p99 wait\nshared",
            ].map {
                Table.Column($0, isWords: $0 == "TENANT", at: $0.hasPrefix("p95") ? .details : .all)
            },
            rows: plan.tenants.map { tenant in
                [
                    .words("  " + tenant.name), .count(tenant.devices), .number(tenant.peakCores),
                    .words(Self.clock(tenant.peakTime)), .count(tenant.own.instances),
                    .number(tenant.own.total),
                    .quantity(tenant.ownWaits.p95, .wait), .quantity(tenant.sharedWaits?.p95, .wait),
                    .quantity(tenant.ownWaits.p99, .wait), .quantity(tenant.sharedWaits?.p99, .wait),
                ]
            }, brief: plan.tenants.count > Self.mostRows + 1 ? Array(0..<Self.mostRows) : nil,
            rest: "\(plan.tenants.count - Self.mostRows) more with --details", names: 1, isOpen: true)
    }

    private static func clock(_ seconds: Double) -> String {
        let minutes = Int(saturating: seconds / 60)
        return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    }

    /// Storms of the advised clusters, and of those that storms keep apart.
    private var storms: Table {
        let found = plan.kin.flatMap { ($0.advised ?? $0.whole)?.storms ?? [] }.filter { !$0.others.isEmpty }
        let hasRegions = found.contains { $0.region != nil }
        let worst = found.indices.sorted {
            found[$0].demand / found[$0].capacity > found[$1].demand / found[$1].capacity
        }
        return Table(
            caption:
                "Cores that all ask the shared PIR servers for, and the longest p99 wait and largest share refused of"
                + " the other tenants, first come, first served, and in a queue that is fair between tenants.",
            columns: [
                "STORM", "region", "cores\nasked for", "cores\nthere", "p99 wait,\nfirst come",
                "refused,\nfirst come", "p99 wait,\nfair", "refused,\nfair",
            ].map {
                Table.Column(
                    $0, isWords: ["STORM", "region"].contains($0),
                    at: $0 != "region" ? .all : hasRegions ? .details : .page)
            },
            rows: worst.map { found[$0] }.map { storm in
                let (first, fair) = (storm.worst(\.firstCome), storm.worst(\.fair))
                return [
                    .words("  \(storm.kind.rawValue), \(storm.tenant)"), .words(storm.region ?? "–"),
                    .number(storm.demand), .number(storm.capacity), .quantity(first?.wait, .wait),
                    .quantity(first?.refusedShare, .share), .quantity(fair?.wait, .wait),
                    .quantity(fair?.refusedShare, .share),
                ]
            }, brief: Array(worst.indices.prefix(2)), names: 1, isOpen: true)
    }

    private let notes = [
        "shared: loads are added by the time of the day on each tenant's busiest weekday, for scenarios have one"
            + " clock; a time of the day that a scenario does not simulate counts as its busiest one; service times"
            + " are the mixture of the tenants', and each PIR server has all databases",
        "storms come at the busiest time of the shared servers; launch and restart are the tenant's own days, as"
            + " high as their busiest minute; a push notification makes"
            + " \(Format.percent(StormForecast.push.share)) of the devices ask within"
            + " \(Format.duration(StormForecast.push.seconds)) (assumption); objectives on latency have to hold during"
            + " the storm, with at most \(Format.share(1 - StormForecast.objective)) refused or waiting as long as"
            + " servers and devices let it (assumption)",
        "the fair queue is one between tenants; services.pir.queue: fair is between users, and a crowd of users with"
            + " one lookup each passes it as first come, first served does. Its wait is a bound if all answers of a"
            + " tenant take the same",
    ]
}
