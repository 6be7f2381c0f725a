import Decoding
import FleetModel
import Foundation
package import Scenarios
import Timing
package import Workload

/// Work of servers in a stretch of time.
package struct WatchWindow: Equatable, Sendable {
    /// Nanoseconds since 1970.
    package var times: Range<Int64>
    /// Lookups with and without an answer.
    package var answered = 0.0
    package var refused = 0.0
    /// Requests for tokens that were answered.
    package var orders = 0.0
    /// Work on lookups; 0 of 0 where nothing tells.
    package var work = Work(seconds: 0, lookups: 0)

    package init(times: Range<Int64>) { self.times = times }

    /// CPU seconds of lookups, and of how many.
    package struct Work: Equatable, Sendable {
        package var seconds: Double
        package var lookups: Double

        package init(seconds: Double, lookups: Double) {
            self.seconds = seconds
            self.lookups = lookups
        }
    }

    var seconds: Double { Double(nanoseconds: times.upperBound - times.lowerBound) }

    /// Windows that are looked at: a year of one in five minutes, and some.
    package static let mostCount = 120_000
}

/// Servers as they were seen, cut into windows.
package struct WatchedServers: Sendable {
    package var windows: [WatchWindow]
    /// Words for what the times of lookups are of; empty where nothing tells them.
    package var times: String

    /// - Parameter pages: In order of time; what one counted more than the one before is a window. Those closer
    ///   than half a window are joined.
    package init(_ pages: [PrometheusPage], window seconds: Double) {
        var (windows, last): ([WatchWindow], PrometheusPage?) = ([], nil)
        let hasCPU = pages.contains { $0.cpuSeconds != nil }
        for page in pages {
            guard let before = last else {
                last = page
                continue
            }
            guard Double(nanoseconds: page.time - before.time) >= seconds / 2 else { continue }
            let growth = page.growth(since: before)
            var window = WatchWindow(times: growth.times)
            window.answered = growth.answered[.queries] ?? 0
            window.refused = growth.refused[.queries] ?? 0
            window.orders = growth.answered[.issue] ?? 0
            if let work = hasCPU ? growth.cpuSeconds : growth.seconds[.queries], window.answered > 0 {
                window.work = .init(seconds: work, lookups: window.answered)
            }
            windows.append(window)
            last = page
        }
        self.windows = windows
        times =
            hasCPU
            ? "CPU time of the PIR servers" : "time from request to answer, waits at the PIR servers included"
    }

    /// - Parameters:
    ///   - paths: Access logs of PIR servers, or pages of Prometheus.
    ///   - scenario: Whose PIR servers wrote them: their cores tell which request waited for nobody.
    package init(
        logs paths: [String], options: ServerLogOptions, window seconds: Double, of scenario: Scenario
    ) throws {
        guard let arePages = try PrometheusPages.match(paths: paths) else { throw WatchError.mixed }
        if arePages {
            self.init(try PrometheusPages.read(paths: paths), window: seconds)
        } else {
            try self.init(requests: try ServerLogs(paths: paths, options: options), seconds, scenario)
        }
    }

    private init(requests logs: ServerLogs, _ seconds: Double, _ scenario: Scenario) throws {
        let length = Int64.seconds(seconds)
        var windows: [WatchWindow] = []
        var (origin, latest): (Int64?, Int64) = (nil, 0)
        let limit = scenario.services.byRegion(.pir).map(\.freeLimit).min() ?? 1
        var free = FreeStarts(limit: limit, resolution: logs.hasWholeSeconds ? .seconds(1) : 0)
        func keep(_ found: [FreeStarts.Request], _ first: Int64, _ windows: inout [WatchWindow]) {
            for request in found where request.endpoint == .queries {
                let place = Int((request.start - first) / length)
                windows[place].work.seconds += Double(nanoseconds: request.end - request.start)
                windows[place].work.lookups += 1
            }
        }
        while let record = try logs.next() {
            let first = origin ?? record.start
            origin = first
            latest = max(latest, record.start)
            let place = Int((record.start - first) / length)
            guard place < WatchWindow.mostCount else {
                throw WatchError.tooManyWindows(place + 1, most: WatchWindow.mostCount)
            }
            while windows.count <= place {
                let start = first + Int64(windows.count) * length
                windows.append(WatchWindow(times: start..<(start + length)))
            }
            let isAnswered = record.status < 300
            switch record.endpoint {
            case .queries where isAnswered: windows[place].answered += 1
            case .queries: windows[place].refused += 1
            case .issue where isAnswered: windows[place].orders += 1
            default: break
            }
            if record.endpoint.place == .pir, record.duration != nil {
                let endpoint = isAnswered ? record.endpoint : nil
                keep(free.add(start: record.start, end: record.end, endpoint: endpoint), first, &windows)
            }
        }
        keep(free.finish(), origin ?? 0, &windows)
        // The last one is not over yet.
        if let last = windows.last, latest < last.times.upperBound - 1, windows.count > 1 {
            windows.removeLast()
        }
        self.windows = windows
        times = "time of lookups that found a core of the PIR servers free"
    }
}
