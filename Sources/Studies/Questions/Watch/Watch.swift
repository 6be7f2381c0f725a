import Decoding
import Foundation
import Statistics
import Timing

/// Holds what servers do against a plan, window by window.
///
///     var watch = Watch(plan, options)
///     for window in servers.windows { watch.add(window) }
///     watch.result(servers, observed: "pir.jsonl").verdict
package struct Watch {
    package struct Options: Sendable {
        /// Width of a window, seconds.
        package var window = 300.0
        /// Days between false alarms. Assumption: once a year is bearable.
        package var falseAlarmDays = 365.0
        /// Devices that there are now; `nil`: as planned, or what differs is in the level.
        package var devices: Int?

        package init() {}
    }

    /// Share of lookups without an answer that is within any plan. Assumption: one in a thousand.
    package static let refusedShare = 0.001
    /// Tests that may give a false alarm: both sides of three streams, and refusals.
    private static let tests = 7.0
    /// The mean of fewer lookups is no time of a window.
    private static let leastTimed = 20.0
    /// Orders for each lookup: stocks of tokens hide more than a tenth. Assumption.
    private static let orders = 0.8...1.25
    private static let hourLength = Int64.hours(1)

    let plan: WatchedPlan
    let options: Options
    private var streams: [WatchResult.Stream.Name: PlannedStream] = [:]
    /// Sums of what was expected, and of what that is an average over.
    private var expected: [WatchResult.Stream.Name: (sum: Double, weight: Double)] = [:]
    /// Ends of the windows of each stream, in nanoseconds; the last ones, as many as a change may be back.
    private var ends: [WatchResult.Stream.Name: [Int64]] = [:]
    private var pending = (seconds: 0.0, lookups: 0.0)
    private var hours: [HourTally] = []
    private var range: Range<Int64>?
    private var (windows, skipped) = (0, 0)

    private struct HourTally: Sendable {
        var start: Int64
        var seconds = 0.0
        var planned = 0.0
        var seen = 0.0
        /// Learned before it began.
        var level: PlannedStream.Level?
        var dispersion = 1.0
    }

    package init(_ plan: WatchedPlan, _ options: Options = Options()) {
        self.plan = plan
        self.options = options
        let count = max(2, options.falseAlarmDays * 86_400 / options.window * Self.tests)
        func stream(_ kind: PlannedStream.Kind, _ edges: ClosedRange<Double>) -> PlannedStream {
            PlannedStream(kind, within: edges, windowsBetweenFalseAlarms: count)
        }
        streams[.lookups] = stream(.events, plan.lookups)
        if plan.secondsPerLookup != nil { streams[.time] = stream(.ratios, plan.time) }
        if plan.ordersPerLookup != nil { streams[.orders] = stream(.events, Self.orders) }
        // Nobody is alarmed about too few.
        streams[.refused] = stream(.events, 1e-9...1)
    }

    /// Devices that there are over those that were planned.
    var fleet: Double {
        Double(options.devices ?? plan.devices) / Double(max(plan.devices, 1))
    }

    /// - Parameter window: Not before those that were added.
    package mutating func add(_ window: WatchWindow) {
        guard !window.times.isEmpty else { return }
        range = (range?.lowerBound ?? window.times.lowerBound)..<window.times.upperBound
        let asked = window.answered + window.refused
        if let planned = plan.forecast.expected(window.times) {
            windows += 1
            count(window, asked: asked, planned: planned * fleet)
            add(.lookups, asked, planned * fleet, weight: window.seconds, window)
        } else {
            skipped += 1
        }
        add(.refused, window.refused, asked * Self.refusedShare, weight: asked, window)
        if let orders = plan.ordersPerLookup {
            add(.orders, window.orders, window.answered * orders, weight: window.answered, window)
        }
        pending.seconds += window.work.seconds
        pending.lookups += window.work.lookups
        if let seconds = plan.secondsPerLookup, pending.lookups >= Self.leastTimed {
            add(.time, pending.seconds, pending.lookups * seconds, weight: pending.lookups, window)
            pending = (0, 0)
        }
    }

    private mutating func add(
        _ name: WatchResult.Stream.Name, _ observed: Double, _ amount: Double, weight: Double,
        _ window: WatchWindow
    ) {
        guard amount > 0 else { return }
        streams[name]?.add(observed, expected: amount)
        expected[name, default: (0, 0)].sum += amount
        expected[name, default: (0, 0)].weight += weight
        ends[name, default: []].append(window.times.upperBound)
    }

    private mutating func count(_ window: WatchWindow, asked: Double, planned: Double) {
        let start = window.times.lowerBound / Self.hourLength * Self.hourLength
        if hours.last?.start != start {
            let stream = streams[.lookups]
            hours.append(
                HourTally(start: start, level: stream?.level, dispersion: stream?.dispersion ?? 1))
            if hours.count > 24 { hours.removeFirst() }
        }
        hours[hours.count - 1].seconds += window.seconds
        hours[hours.count - 1].planned += planned
        hours[hours.count - 1].seen += asked
    }

    /// - Parameter observed: What was read, in words.
    package func result(_ times: String, observed: String) throws(WatchError) -> WatchResult {
        if windows == 0, skipped > 0 {
            let time = Double(nanoseconds: range?.lowerBound ?? 0)
            throw .nothingForecast(from: Date(timeIntervalSince1970: time).ISO8601Format())
        }
        let found = WatchResult.Stream.Name.allCases.compactMap(stream)
        let hasLeft = found.contains { $0.side != nil }
        return WatchResult(
            plan: plan.path, source: plan.source, scenario: plan.name, plannedDevices: plan.devices,
            devices: options.devices, observed: observed, times: times,
            from: Double(nanoseconds: range?.lowerBound ?? 0),
            to: Double(nanoseconds: range?.upperBound ?? 0),
            windows: windows, windowSeconds: options.window, skipped: skipped,
            falseAlarmDays: options.falseAlarmDays,
            verdict: windows == 0 ? .cannotTell : hasLeft ? .left : .within, streams: found,
            hours: hours.map(hour), purchase: purchase(found))
    }

    private func stream(_ name: WatchResult.Stream.Name) -> WatchResult.Stream? {
        guard let stream = streams[name] else { return nil }
        let sums = expected[name] ?? (0, 0)
        let mean = sums.weight > 0 ? sums.sum / sums.weight : 0
        var found = WatchResult.Stream(
            name: name, planned: name == .refused ? Self.refusedShare : mean, low: stream.edges.lowerBound,
            high: stream.edges.upperBound, level: stream.level, side: stream.side)
        guard stream.side != nil, let change = stream.change, let ends = ends[name] else { return found }
        // The change is before the first of its windows.
        let first = ends.count - change.windows - 1
        let begin = ends.indices.contains(first) ? ends[first] : range?.lowerBound ?? 0
        found.since = Double(nanoseconds: begin)
        found.noticed = Double(nanoseconds: ends[max(0, min(ends.count - 1, first + change.delay))])
        return found
    }

    private func hour(_ tally: HourTally) -> WatchResult.Hour {
        let seconds = max(tally.seconds, 1e-9)
        let rate = tally.planned / seconds
        // One more hour of a world that scatters so.
        func scatter(_ level: Double) -> Double {
            1.96 * (tally.dispersion * level * tally.planned).squareRoot() / seconds
        }
        var hour = WatchResult.Hour(
            start: Double(nanoseconds: tally.start), seconds: tally.seconds, planned: rate,
            low: max(0, rate * plan.lookups.lowerBound - scatter(plan.lookups.lowerBound)),
            high: rate * plan.lookups.upperBound + scatter(plan.lookups.upperBound),
            seen: tally.seen / seconds)
        if let level = tally.level {
            let width = (level.high - level.low) / 2 * rate
            let half = (width * width + scatter(level.value) * scatter(level.value)).squareRoot()
            hour.forecast = rate * level.value
            hour.forecastLow = max(0, rate * level.value - half)
            hour.forecastHigh = rate * level.value + half
        }
        return hour
    }
}
