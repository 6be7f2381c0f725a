import Foundation

/// The mean rate of a stream of events over time and how far counts scatter about it, from independent units.
///
/// Units are small groups of devices, seen in several replications. Hours are the finest that a mean day is told in,
/// unless units agree on more: a piece of time is halved where the two halves, or two halves of one of them, differ in
/// so many units that chance does so once in a hundred curves (Student's t over the units, Bonferroni over all
/// pieces). What a single device does never looks like that, so that noise is not taken for a peak, and what all do at
/// once is not smoothed away.
///
/// Amounts are 1 for an event that is counted, or what it weighs, such as seconds of work.
package struct ArrivalIntensity: Codable, Equatable, Sendable {
    /// A piece of time in which the rate is taken as constant.
    package struct Block: Codable, Equatable, Sendable {
        /// Seconds of the clock.
        package var start: Int
        package var seconds: Int
        /// Amount in all of the block, on a mean day of all units together.
        package var amount: Double
        /// Standard error of ``amount``, from the spread of units.
        package var standardError: Double

        package var rate: Double { amount / Double(seconds) }
    }

    /// Variance and third central moment of what falls into a window, over its mean: both 1 for single events.
    package struct Dispersion: Codable, Equatable, Sendable {
        package var variance: Double
        package var third: Double
    }

    /// Dispersion in windows of one length.
    package struct Window: Codable, Equatable, Sendable {
        package var seconds: Int
        /// Dispersion in whole hours, and in blocks that are shorter; absent where there is nothing.
        package var steady: Dispersion?
        package var storm: Dispersion?
    }

    package var blocks: [Block]
    package var windows: [Window]
    /// Amount of each replication.
    package var totals: [Double]
    /// Variance of one of ``totals`` that comes of having no more units: it falls with their number.
    package var unitVariance: Double

    /// Length of a block that needs no proof, seconds.
    package static let hour = 3_600
    /// Lengths that peaks are asked for, seconds.
    package static let widths = [1, 60, 300]

    /// One event, of a unit of its replication.
    package struct Event: Sendable {
        package var second: Int
        package var unit: Int
        package var amount: Double

        package init(second: Int, unit: Int, amount: Double) {
            self.second = second
            self.unit = unit
            self.amount = amount
        }
    }

    /// - Parameters:
    ///   - replications: Events of each, in any order.
    ///   - unitCount: Units of a replication, at least 2.
    ///   - period: Seconds that were observed, of the clock.
    /// - Returns: `nil` where nothing happened.
    package init?(replications: [[Event]], unitCount: Int, period: Range<Int>) {
        precondition(unitCount >= 2, "\(unitCount) units have no spread")
        let counts = UnitCounts(replications, unitCount: unitCount, period: period)
        guard !period.isEmpty, counts.offsets.last ?? 0 > 0 else { return nil }
        blocks = counts.blocks()
        totals = counts.totals
        let spread = counts.unitTotals.map { units in
            (Moments(units)?.variance ?? 0) * Double(units.count)
        }
        unitVariance = spread.reduce(0, +) / Double(spread.count)
        windows = []
        windows = Self.widths.map { counts.dispersion(in: $0, of: self) }
    }

    /// Amount of a mean day.
    package var total: Double { blocks.reduce(0) { $0 + $1.amount } }

    /// Variance of a day's total over its mean squared that days have in common, however many units there are.
    package var commonVariance: Double {
        guard let moments = Moments(totals), moments.count >= 2, moments.mean > 0 else { return 0 }
        return max(0, moments.variance - unitVariance) / (moments.mean * moments.mean)
    }

    /// Mean amount a second in successive intervals, which begin at whole multiples of their width.
    package func rates(_ width: Int) -> [Double] {
        windowMeans(width).flatMap { Array(repeating: $0.mean / Double($0.seconds), count: $0.count) }
    }

    /// Half the width of the interval of the highest rate over that rate, at 95 %: by the spread of units in the blocks
    /// of the interval of that width in which it lies.
    package func peakDoubt(_ width: Int) -> Double {
        let rates = rates(width)
        guard let first = blocks.first, let place = rates.indices.max(by: { rates[$0] < rates[$1] }),
            rates[place] > 0
        else { return 1 }
        let start = (first.start / width + place) * width
        let blocks = blocks.filter { $0.start < start + width && $0.start + $0.seconds > start }
        let amount = blocks.reduce(0) { $0 + $1.amount }
        let error = blocks.reduce(0) { $0 + $1.standardError * $1.standardError }.squareRoot()
        return amount > 0 ? 1.96 * error / amount : 1
    }

    /// Half the width of the 95 % interval of ``total`` over it, by the spread of units.
    package var totalDoubt: Double {
        guard total > 0, !totals.isEmpty else { return 1 }
        let days = Double(totals.count)
        return 1.96 * ((unitVariance + commonVariance * total * total) / days).squareRoot() / total
    }

    /// Means of successive windows, and which of them have a storm in them.
    ///
    /// - Parameter width: Seconds; windows begin at whole multiples, and the first and the last may be shorter.
    func windowMeans(_ width: Int) -> [(mean: Double, isStorm: Bool, seconds: Int, count: Int)] {
        var means: [(mean: Double, isStorm: Bool, seconds: Int, count: Int)] = []
        /// The window that a block's end cut; `nil` between two windows.
        var open: (mean: Double, isStorm: Bool, seconds: Int, end: Int)?
        func close() {
            if let open { means.append((open.mean, open.isStorm, open.seconds, 1)) }
            open = nil
        }
        for block in blocks {
            let isStorm = block.seconds < Self.hour
            var now = block.start
            let end = block.start + block.seconds
            while now < end {
                if open == nil, now % width == 0, end - now >= width {
                    let whole = (end - now) / width
                    means.append((block.rate * Double(width), isStorm, width, whole))
                    now += whole * width
                    continue
                }
                var window = open ?? (mean: 0, isStorm: false, seconds: 0, end: (now / width + 1) * width)
                let until = min(end, window.end)
                window.mean += block.rate * Double(until - now)
                window.isStorm = window.isStorm || isStorm
                window.seconds += until - now
                open = window
                now = until
                if now == window.end { close() }
            }
        }
        close()
        return means
    }
}

/// Events in the order of seconds.
private struct UnitCounts {
    let unitCount: Int
    let replicationCount: Int
    let period: Range<Int>
    /// Beginnings of each second's events, then their number.
    private(set) var offsets: [Int]
    private var units: [Int32]
    private var amounts: [Double]
    private(set) var unitTotals: [[Double]]

    var totals: [Double] { unitTotals.map { $0.reduce(0, +) } }

    init(_ replications: [[ArrivalIntensity.Event]], unitCount: Int, period: Range<Int>) {
        self.unitCount = unitCount
        self.period = period
        replicationCount = replications.count
        unitTotals = replications.map { _ in Array(repeating: 0, count: unitCount) }
        offsets = Array(repeating: 0, count: period.count + 1)
        for event in replications.joined() where period.contains(event.second) {
            offsets[event.second - period.lowerBound + 1] += 1
        }
        for place in 0..<period.count { offsets[place + 1] += offsets[place] }
        let count = offsets.last ?? 0
        units = Array(repeating: 0, count: count)
        amounts = Array(repeating: 0, count: count)
        var next = offsets
        for (replication, events) in replications.enumerated() {
            for event in events where period.contains(event.second) {
                let place = next[event.second - period.lowerBound]
                next[event.second - period.lowerBound] += 1
                units[place] = Int32(replication * unitCount + event.unit)
                amounts[place] = event.amount
                unitTotals[replication][event.unit] += event.amount
            }
        }
    }

    /// Fewest events of a piece that may be halved: fewer are of too few units to agree.
    private static let fewestEvents = 20
    /// Chance that a curve without storms has one block too many.
    private static let falseAlarm = 0.01

    func blocks() -> [ArrivalIntensity.Block] {
        let freedom = Double(unitCount * replicationCount - 1)
        // Halving a piece again and again makes as many pieces as it has seconds.
        let threshold =
            SpecialFunctions.studentQuantile(
                1 - Self.falseAlarm / Double(2 * period.count), degreesOfFreedom: freedom) ?? .infinity
        var blocks: [ArrivalIntensity.Block] = []
        var start = period.lowerBound
        while start < period.upperBound {
            let end = min((start / ArrivalIntensity.hour + 1) * ArrivalIntensity.hour, period.upperBound)
            blocks += split(start..<end, threshold).blocks
            start = end
        }
        return blocks
    }

    private func sums(_ piece: Range<Int>) -> [Double] {
        var sums = Array(repeating: 0.0, count: unitCount * replicationCount)
        let first = offsets[piece.lowerBound - period.lowerBound]
        for place in first..<offsets[piece.upperBound - period.lowerBound] {
            sums[Int(units[place])] += amounts[place]
        }
        return sums
    }

    private func split(
        _ piece: Range<Int>, _ threshold: Double
    ) -> (blocks: [ArrivalIntensity.Block], isHalved: Bool) {
        let events =
            offsets[piece.upperBound - period.lowerBound] - offsets[piece.lowerBound - period.lowerBound]
        guard piece.count > 1, events >= Self.fewestEvents else { return ([block(piece)], false) }
        let middle = piece.lowerBound + piece.count / 2
        let (left, right) = (piece.lowerBound..<middle, middle..<piece.upperBound)
        let (first, second) = (split(left, threshold), split(right, threshold))
        let isHalved = first.isHalved || second.isHalved || differ(left, right, threshold)
        return isHalved ? (first.blocks + second.blocks, true) : ([block(piece)], false)
    }

    /// Whether the rates of two pieces differ in nearly all units.
    private func differ(_ left: Range<Int>, _ right: Range<Int>, _ threshold: Double) -> Bool {
        let differences = zip(sums(left), sums(right)).map {
            $0 / Double(left.count) - $1 / Double(right.count)
        }
        guard let moments = Moments(differences), moments.mean != 0 else { return false }
        let error = (moments.variance / Double(moments.count)).squareRoot()
        return moments.mean.magnitude > threshold * error
    }

    private func block(_ piece: Range<Int>) -> ArrivalIntensity.Block {
        let sums = sums(piece)
        let scale = 1 / Double(replicationCount)
        let variance = Moments(sums)?.variance ?? 0
        return ArrivalIntensity.Block(
            start: piece.lowerBound, seconds: piece.count, amount: sums.reduce(0, +) * scale,
            standardError: (variance * Double(sums.count)).squareRoot() * scale)
    }

    /// Dispersion of each replication's windows about the mean day, at the level of the replication.
    func dispersion(in width: Int, of intensity: ArrivalIntensity) -> ArrivalIntensity.Window {
        let means = intensity.windowMeans(width).flatMap {
            Array(repeating: (mean: $0.mean, isStorm: $0.isStorm), count: $0.count)
        }
        let first = period.lowerBound / width
        var found = Array(repeating: Array(repeating: 0.0, count: means.count), count: replicationCount)
        for second in period {
            let window = second / width - first
            let place = second - period.lowerBound
            for event in offsets[place]..<offsets[place + 1] {
                found[Int(units[event]) / unitCount][window] += amounts[event]
            }
        }
        let total = intensity.total
        func sum(_ isStorm: Bool) -> ArrivalIntensity.Dispersion? {
            var (mean, square, cube) = (0.0, 0.0, 0.0)
            for (replication, windows) in found.enumerated() {
                let level = total > 0 ? totals[replication] / total : 1
                for (window, value) in zip(means, windows) where window.isStorm == isStorm {
                    let deviation = value - window.mean * level
                    mean += window.mean * level
                    square += deviation * deviation
                    cube += deviation * deviation * deviation
                }
            }
            guard mean > 0, square > 0 else { return nil }
            let variance = square / mean
            // E[S] E[S³] is never less than E[S²]² for clusters of size S.
            return .init(variance: variance, third: max(cube / mean, variance * variance))
        }
        return .init(seconds: width, steady: sum(false), storm: sum(true))
    }
}
