import FleetModel
import Statistics

extension FleetDemand.Load {
    /// Length of the intervals of which the busiest counts, seconds.
    static let width = 300
    /// Minutes on each side of the busiest one that are kept.
    private static let around = 30

    /// - Parameters:
    ///   - work: Busy seconds of the sample; `nil` if there were none.
    ///   - times: Devices of the fleet for each one of the sample.
    ///   - requests: Of the sample in a replication.
    init(
        _ service: Part, _ work: ArrivalIntensity?, times: Double, requests: Double, _ period: Range<Int>
    ) {
        guard let work, work.total > 0 else {
            self.init(
                service: service, meanCores: 0, peakCores: 0, peakLow: 0, peakHigh: 0, series: [],
                serviceSeconds: 0)
            return
        }
        let peak = PeakLaw(work, width: Self.width, times: times).mean / Double(Self.width)
        let doubt = work.peakDoubt(Self.width)
        let minutes = work.rates(60)
        let busiest = minutes.indices.max { minutes[$0] < minutes[$1] } ?? 0
        let kept = max(0, busiest - Self.around)..<min(minutes.count, busiest + Self.around + 1)
        self.init(
            service: service, meanCores: work.total / Double(period.count) * times, peakCores: peak,
            peakLow: max(0, peak * (1 - doubt)), peakHigh: peak * (1 + doubt),
            series: work.rates(Self.width).map { $0 * times },
            serviceSeconds: requests > 0 ? work.total / requests : 0,
            minutes: Minutes(
                first: kept.lowerBound + period.lowerBound % Self.width / 60,
                cores: minutes[kept].map { $0 * times }))
    }

    /// Cores of the minute; where minutes are not kept, those of the interval.
    func cores(inMinute minute: Int) -> Double {
        if let minutes, minutes.cores.indices.contains(minute - minutes.first) {
            return minutes.cores[minute - minutes.first]
        }
        let interval = minute * 60 / Self.width
        return series.indices.contains(interval) ? series[interval] : 0
    }

    /// Longest wait at the busiest time for so many cores: seconds of work that come faster than they are done,
    /// over the cores. Nothing is given up while it waits, so that queues with a limit fail instead.
    package func longestWait(cores: Double) -> Double {
        var (backlog, longest) = (0.0, 0.0)
        for busy in minutes?.cores ?? [] {
            backlog = max(0, backlog + (busy - cores) * 60)
            longest = max(longest, backlog)
        }
        return cores > 0 ? longest / cores : longest > 0 ? .infinity : 0
    }
}
