import FleetModel
import Foundation
package import Questions
import Statistics
import Wording

extension Document {
    package init(_ result: WatchResult) { self = WatchAnswer(result: result).document }
}

/// Events beside what was planned, and what it means for the next purchase.
struct WatchAnswer {
    let result: WatchResult

    var document: Document {
        let opening =
            "\(result.scenario): \(Format.count(result.windows, "window")) of"
            + " \(Format.duration(result.windowSeconds)) from \(Self.time(result.from)) to"
            + " \(Self.time(result.to)), beside \(result.plan)"
        return Document(
            title: "\(result.scenario) beside its plan", facts: [opening], heading: [opening],
            sections: [
                Document.Section("Answer", [.verdict(headline, judgement), .gap()]),
                Document.Section("Seen over planned", [.table(streams), .gap()]),
                Document.Section(
                    "Hours", [.table(lastHour, at: .brief), .table(hours, at: .details), .gap()]),
                Document.Section("Servers", [.sentences(servers)]),
                Document.Section("Remarks", [.sentences(remarks, at: .details), .warnings(warnings)]),
            ], more: "--details has the last day hour by hour; --output writes the scenario of what was seen")
    }

    private var judgement: Document.Judgement {
        switch result.verdict {
        case .within: .pass
        case .left: .fail
        case .cannotTell: .open
        }
    }

    private var left: [WatchResult.Stream] { result.streams.filter { $0.side != nil } }

    private var headline: String {
        switch result.verdict {
        case .within: return "WITHIN THE PLAN: nothing that was seen is outside its intervals for good."
        case .cannotTell: return "NOTHING TO COMPARE YET: it takes one window of requests."
        case .left:
            let parts = left.map { stream -> String in
                let factor = stream.level.map { " \(Format.number($0.value)) times the plan's" } ?? ""
                let since = stream.since.map { ", since about \(Self.time($0))" } ?? ""
                return Self.finding(stream) + factor + since
            }
            return "THE PLAN WAS LEFT: " + parts.joined(separator: "; ") + "."
        }
    }

    private static func finding(_ stream: WatchResult.Stream) -> String {
        let isMore = stream.side == .above
        return switch stream.name {
        case .lookups: isMore ? "more lookups" : "fewer lookups"
        case .time: isMore ? "slower servers" : "faster servers"
        case .orders: "another mix of systems: \(isMore ? "more" : "fewer") orders of tokens for each lookup"
        case .refused: "lookups without an answer"
        }
    }

    private func name(_ stream: WatchResult.Stream) -> String {
        switch stream.name {
        case .lookups: result.devices == nil ? "lookups/s" : "lookups/s of so many devices"
        case .time: "time of a lookup"
        case .orders: "token orders per lookup"
        case .refused: "lookups without answer"
        }
    }

    private var streams: Table {
        Table(
            caption:
                "Planned on average over the windows; seen since the plan was left, or in all. A false alarm of any of"
                + " them comes once in \(Format.number(result.falseAlarmDays)) days at most.",
            columns: [
                Table.Column("", isWords: true), Table.Column("planned"), Table.Column("plan's interval"),
                Table.Column("seen"), Table.Column("seen/planned"), Table.Column("windows"),
                Table.Column("", isWords: true),
            ],
            rows: result.streams.map { stream in
                let level = stream.level
                let bounds: Table.Cell =
                    stream.name == .refused
                    ? .words("at most \(Format.share(stream.planned))")
                    : .words("× \(Format.number(stream.low)) … \(Format.number(stream.high))")
                return [
                    .words("  " + name(stream)),
                    stream.name == .refused ? .none : value(stream, stream.planned), bounds,
                    level.map { value(stream, stream.planned * $0.value) } ?? .none,
                    stream.name == .refused ? .none : ratio(level),
                    level.map { .count($0.windows) } ?? .none,
                    .words(stream.side == nil ? "" : "LEFT"),
                ]
            }, names: 1, isOpen: true)
    }

    private func ratio(_ level: PlannedStream.Level?) -> Table.Cell {
        guard let level else { return .none }
        return .words(
            "\(Format.number(level.value)) (\(Format.number(level.low)) … \(Format.number(level.high)))")
    }

    private func value(_ stream: WatchResult.Stream, _ value: Double) -> Table.Cell {
        switch stream.name {
        case .lookups, .orders: .number(value)
        case .time: .quantity(value, .duration)
        case .refused: .quantity(value, .share)
        }
    }

    private var hours: Table { table(of: result.hours) }
    private var lastHour: Table { table(of: Array(result.hours.suffix(1))) }

    private func table(of hours: [WatchResult.Hour]) -> Table {
        Table(
            caption:
                "Lookups a second; the forecast is the plan at the level that was learned before the hour.",
            columns: [
                Table.Column("  hour (UTC)", isWords: true), Table.Column("seen for"),
                Table.Column("planned"),
                Table.Column("plan's interval"), Table.Column("forecast"), Table.Column("seen"),
            ],
            rows: hours.map { hour in
                let forecast = hour.forecast.map { value in
                    Format.number(value)
                        + (hour.forecastLow.flatMap { low in
                            hour.forecastHigh.map { " (\(Format.number(low)) … \(Format.number($0)))" }
                        } ?? "")
                }
                return [
                    .words("  " + Self.time(hour.start)), .quantity(hour.seconds, .duration),
                    .number(hour.planned),
                    .words("\(Format.number(hour.low)) … \(Format.number(hour.high))"),
                    forecast.map { .words($0) } ?? .none, .number(hour.seen),
                ]
            }, names: 1, isOpen: true)
    }

    private var servers: [String] {
        guard let purchase = result.purchase else { return [] }
        let place = purchase.service.name + (purchase.region.map { " in \($0)" } ?? "")
        var sentences = [
            "\(place) would be \(Format.share(purchase.now)) full at the peak of a day, at most"
                + " \(Format.share(purchase.most)) by what was seen; planned \(Format.share(purchase.planned))"
                + ", where 100 % is what the plan's rule allows"
        ]
        if purchase.now >= 1 {
            sentences.append("the next purchase is DUE NOW")
        } else if let months = purchase.months {
            sentences.append(
                "the next purchase is due in \(Format.number(months)) months at the plan's growth")
        } else {
            sentences.append(
                "the next purchase is due at \(Format.number(1 / max(purchase.now, 1e-9))) times what was seen"
            )
        }
        guard let cores = purchase.cores, let total = purchase.total else { return sentences }
        let currency = purchase.currency ?? ""
        guard let needed = purchase.neededCores, let money = purchase.neededTotal else {
            return sentences + ["no servers meet the plan's rule at the level that was seen"]
        }
        sentences.append(
            needed == cores
                ? "planned anew for what was seen: \(Format.count(cores, "core")) as bought, \(currency)"
                    + " \(Format.number(money)) a month"
                : "planned anew for what was seen: \(Format.count(needed, "core")) and \(currency)"
                    + " \(Format.number(money)) a month; bought are \(Format.count(cores, "core")), which cost"
                    + " \(currency) \(Format.number(total)) at that level")
        return sentences
    }

    private var remarks: [String] {
        [
            "read: \(result.observed)", "time of a lookup: \(result.times)",
            result.devices == nil
                ? "lookups are those of the whole fleet; --devices says how many there are now, and more lookups are"
                    + " then more of each device"
                : "\(Format.count(result.devices ?? 0, "device")) of \(Format.count(result.plannedDevices)) planned",
        ]
            + left.compactMap { stream in
                stream.since.flatMap { since in
                    stream.noticed.map {
                        "\(Self.finding(stream)): sure at \(Self.time($0)), \(Format.duration(max(0, $0 - since)))"
                            + " after the likeliest beginning"
                    }
                }
            }
    }

    private var warnings: [String] {
        result.skipped > 0
            ? [
                "\(Format.count(result.skipped, "window")) left out: the plan did not simulate these hours"
            ] : []
    }

    /// `Fri 27 Nov 14:05`.
    private static func time(_ unix: Double) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "EEE d MMM HH:mm"
        return formatter.string(from: Date(timeIntervalSince1970: unix))
    }
}
