package import DeviceFleet
import Experiment
import FleetModel
package import Questions
import RunMetrics
import URLFilter
import Wording

extension ObservedTraffic {
    /// Traffic at one rate of a replay against servers.
    ///
    /// Rates are those of the measured time. Devices got ready before it, so what only that needed (evaluation keys)
    /// enters with its sizes and without a rate.
    ///
    /// - Throws: When nothing was measured, or went without Oblivious HTTP: then nothing says how long the encapsulated
    ///   messages are.
    package init(_ replay: ReplayResult, _ point: ReplayPoint) throws(SheetError) {
        guard replay.route != "direct" else { throw .notEncapsulated }
        let measured = point.seconds.filter { Double($0.second) >= point.ramp + point.warmUp }
        guard point.duration > 0, !measured.isEmpty else { throw .noTraffic }
        func rate(_ value: Int) -> Rate {
            Rate(value: Double(value), interval: nil, samples: [Double(value)])
        }
        let perDay = Double(measured.reduce(0) { $0 + $1.exchanges }) / point.duration * 86_400
        let pace =
            point.rate.map { "\(Format.number($0)) loads per second" }
            ?? "\(Format.number(point.speed ?? 1)) times the trace's pace"
        self.init(
            source:
                "replay of '\(replay.trace.name)' by \(Format.count(replay.devices.ready, "device")) against"
                + " \(replay.target) by way of \(replay.route), at \(pace)",
            devices: replay.devices.ready, observedSeconds: point.duration,
            regions: [
                Region(
                    name: "all", perDay: Rate(value: perDay, interval: nil, samples: [perDay]),
                    peakSecond: rate(measured.map(\.exchanges).max() ?? 0),
                    peakMinute: rate(Self.busiestMinute(measured)))
            ],
            endpoints: Self.endpoints(measured: point, preparation: replay.devices), shards: nil,
            evaluationKeyBytes: nil, hasTestEntry: nil,
            remarks: [
                "rates are those of the replay; its devices and its pace have to be scaled to the fleet",
                "\(Format.count(replay.devices.exchanges)) exchanges that made the devices ready came before the"
                    + " measured time: their sizes are in the table, their rates are not",
            ])
    }

    /// The most requests in 60 seconds, or in all of a shorter time.
    ///
    /// - Parameter seconds: Ascending; those in which nothing happened may be missing.
    private static func busiestMinute(_ seconds: [ReplayPoint.Second]) -> Int {
        var first = 0
        var sum = 0
        var most = 0
        for row in seconds {
            sum += row.exchanges
            while seconds[first].second + 60 <= row.second {
                sum -= seconds[first].exchanges
                first += 1
            }
            most = max(most, sum)
        }
        return most
    }

    /// Percentiles are of the measured time if there were any then, the largest message is of all times.
    private static func endpoints(
        measured point: ReplayPoint, preparation: ReplayResult.Preparation
    ) -> [Endpoint] {
        Metric.endpoints.map(\.endpoint.rawValue).compactMap { name in
            let now = point.endpoints.first { $0.name == name }
            let before = preparation.endpoints.first { $0.name == name }
            guard let main = now ?? before else { return nil }
            let largest = [now, before].compactMap(\.self)
            let answered = main.count - main.failed
            return Endpoint(
                name: name, requestsPerDay: Double(now?.count ?? 0) / point.duration * 86_400,
                request: sizes(main.sent, count: main.count, largest: largest.map(\.sent.max)),
                response: answered == 0
                    ? nil : sizes(main.received, count: answered, largest: largest.map(\.received.max)))
        }
    }

    private static func sizes(_ sizes: ReplayPoint.Sizes, count: Int, largest: [Int]) -> Sizes {
        Sizes(
            mean: Double(sizes.total) / Double(max(count, 1)), p50: Double(sizes.p50), p99: Double(sizes.p99),
            max: Double(largest.max() ?? sizes.max))
    }
}
