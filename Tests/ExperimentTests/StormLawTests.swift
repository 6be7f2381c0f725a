import Questions
import Testing

/// Storms by hand, and beside a queue that is followed second by second.
struct StormLawTests {
    /// 10 cores, 4 of them busy; 600 core seconds come within a minute.
    private let law = StormLaw(cores: 10, base: 4, work: 600, spread: 60, patience: 3)

    @Test func aStormByHand() {
        // 4 + 600 / 60 = 14 cores; 4 too many for 60 s are 240, of which 30 wait and 210 are refused of 840.
        #expect(law.demand == 14)
        #expect(law.longestWait == 3)
        #expect(law.refused == 210)
        #expect(law.refusedShare == 0.25)
        // The 30 that wait go at the rate of the 6 that are free.
        #expect(law.length == 65)
        // At 70 % there is room for 3: 600 / 3.
        #expect(law.leastSpread(utilization: 0.7).map { abs($0 - 200) < 1e-9 } == true)
        #expect(law.neededCores(utilization: 0.7) == 20)
    }

    @Test func whatServersBearIsNoStorm() {
        var calm = law
        calm.spread = 200
        #expect(calm.longestWait == 0 && calm.refused == 0 && calm.length == 0)
        #expect(calm.minutes().allSatisfy { $0.refused == 0 && $0.wait == 0 })
    }

    @Test func aShortStormOnlyWaits() {
        var short = law
        (short.work, short.spread) = (50, 5)
        // 4 too many for 5 s are 20 core seconds: 2 s.
        #expect(short.longestWait == 2 && short.refused == 0)
        #expect(short.length.map { abs($0 - (5 + 20.0 / 6)) < 1e-9 } == true)
    }

    @Test func aLineOfFullServersNeverGoes() {
        var full = law
        full.base = 10
        #expect(full.length == nil && full.leastSpread(utilization: 0.7) == nil)
    }

    @Test(arguments: [(4.0, 600.0, 60.0, 3.0), (8, 900, 90, 1), (2, 100, 7, 0.5), (6, 4_000, 240, 30)])
    func minutesAreThoseOfTheClosedForm(base: Double, work: Double, spread: Double, patience: Double) {
        let law = StormLaw(cores: 10, base: base, work: work, spread: spread, patience: patience)
        let minutes = law.minutes()
        let refused = minutes.reduce(0) { $0 + $1.refused * 60 }
        #expect(abs(refused - law.refused) <= max(10, law.refused * 0.02), "\(refused) of \(law.refused)")
        let (come, done) = minutes.reduce((0, 0)) { ($0.0 + $1.demand * 60, $0.1 + $1.done * 60) }
        #expect(abs(come - done - refused) < 1e-6 * come)
        let length = Double(minutes.count) * 60
        #expect(law.length.map { length >= $0 && length < max($0, spread) + 61 } == true)
    }

    /// Single requests of 10 ms at 10 cores that come evenly, each refused when its wait would be too long: no fluid.
    @Test func singleRequestsFareAsTheFluidDoes() {
        let seconds = 0.01
        var free = Array(repeating: 0.0, count: 10)
        var (refused, longest, end, time) = (0, 0.0, 0.0, 0.0)
        while time < 120 {
            let rate = (law.base + (time < law.spread ? law.work / law.spread : 0)) / seconds
            let core = free.indices.min { free[$0] < free[$1] } ?? 0
            let wait = max(0, free[core] - time)
            if wait > law.patience {
                refused += 1
            } else {
                longest = max(longest, wait)
                if wait > 0.001 { end = time }
                free[core] = max(free[core], time) + seconds
            }
            time += 1 / rate
        }
        #expect(abs(Double(refused) * seconds / law.refused - 1) < 0.01)
        #expect(abs(longest - law.longestWait) < 0.01)
        #expect(law.length.map { abs(end - $0) < 0.2 } == true)
    }
}
