import EventSimulation
import Questions
import RandomStreams
import Scenarios
import TestSupport
import Testing

/// The closed form of a queue that is fair between tenants beside the event engine's station, request by request.
struct FairShareTests {
    /// - Parameter owners: Requests a second and seconds of each, by tenant.
    /// - Returns: Waits of the first tenant, sorted.
    private func waits(
        _ discipline: QueueDiscipline, cores: Int, owners: [(rate: Double, seconds: Double)], seconds: Double
    ) -> [Double] {
        var jobs: [(time: Double, owner: Int)] = []
        for (owner, load) in owners.enumerated() {
            var stream = RandomStream(
                seed: 11, replication: 0, entity: UInt32(owner), purpose: StreamPurpose("test arrivals"))
            var time = stream.exponential(mean: 1 / load.rate)
            while time < seconds {
                jobs.append((time, owner))
                time += stream.exponential(mean: 1 / load.rate)
            }
        }
        jobs.sort { $0.time < $1.time }
        var station = ServiceStation<Int>(servers: cores, discipline: discipline)
        func instant(_ seconds: Double) -> SimulatedTime { SimulatedTime(nanoseconds: Int64(seconds * 1e9)) }
        var ends: [Double] = []
        var waits: [Double] = []
        func begin(_ job: Int, at time: Double) {
            if jobs[job].owner == 0 { waits.append(time - jobs[job].time) }
            ends.append(time + owners[jobs[job].owner].seconds)
        }
        for (index, job) in jobs.enumerated() {
            while let next = ends.indices.min(by: { ends[$0] < ends[$1] }), ends[next] <= job.time {
                let end = ends.remove(at: next)
                if let waiting = station.finish(at: instant(end)) { begin(waiting, at: end) }
            }
            let work = SimulatedDuration.nanoseconds(Int64(owners[job.owner].seconds * 1e9))
            if case .starts = station.arrive(
                index, owner: UInt32(job.owner), work: work, at: instant(job.time))
            {
                begin(index, at: job.time)
            }
        }
        return waits.sorted()
    }

    /// Neighbours bring half as much again as all cores do, as long as it lasts.
    @Test(
        arguments: [1, 2, 8],
        [(0.6, 0.05, 0.05, 2), (0.8, 0.02, 0.2, 2), (0.8, 0.2, 0.02, 2), (0.7, 0.05, 0.05, 4)])
    func noTenantWaitsLongerThanItsShareSays(
        cores: Int, load: (busy: Double, seconds: Double, neighbour: Double, tenants: Int)
    ) throws {
        let neighbours = load.tenants - 1
        let each = 1.5 * Double(cores) / Double(neighbours)
        let share = FairShareLaw.share(
            of: Double(cores), beside: Array(repeating: each, count: neighbours))
        #expect(abs(share - Double(cores) / Double(load.tenants)) < 1e-12)
        let own = (rate: load.busy * share / load.seconds, seconds: load.seconds)
        let owners = [own] + Array(repeating: (each / load.neighbour, load.neighbour), count: neighbours)
        let law = FairShareLaw(
            cores: Double(cores), share: share, busy: load.busy * share, serviceSeconds: load.seconds,
            longestService: max(load.seconds, load.neighbour), neighbours: neighbours)
        let fair = waits(.fair, cores: cores, owners: owners, seconds: 2_000 / own.rate)
        let firstCome = waits(.firstCome, cores: cores, owners: owners, seconds: 2_000 / own.rate)
        for percentile in [0.95, 0.99] {
            let place = Int(Double(fair.count) * percentile)
            let bound = try #require(law.wait(percentile))
            #expect(fair[place] <= bound && fair[place] > bound / 5, "\(fair[place]) of \(bound)")
            #expect(firstCome[place * firstCome.count / fair.count] > bound)
        }
    }

    /// Water in a vessel: who asks for less than an equal share leaves the rest to the others.
    @Test func aShareIsWhatOthersLeave() {
        #expect(FairShareLaw.share(of: 10, beside: []) == 10)
        #expect(FairShareLaw.share(of: 10, beside: [1, 30]) == 4.5)
        #expect(FairShareLaw.share(of: 10, beside: [20, 30]) == 10.0 / 3)
        #expect(FairShareLaw.share(of: 12, beside: [2, 3]) == 7)
        let law = FairShareLaw(
            cores: 4, share: 1, busy: 1, serviceSeconds: 0.1, longestService: 0.1, neighbours: 1)
        #expect(law.wait(0.99) == nil)
    }

    @Test func scenariosOfTenantsAreCheckedBeforeTheyAreSimulated() throws {
        func scenario(_ name: String, _ more: String = "") throws -> Scenario {
            let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }\n\(more)")
            return try ScenarioResolver.resolve(
                ScenarioFile(path: small.folder.path + "/scenario.yaml").setting([
                    "name=\(name)", "devices[pupils].continent=EU",
                ]))
        }
        let (one, two) = (try scenario("one"), try scenario("two"))
        try TenantError.check([one, two])
        #expect(throws: TenantError.one) { try TenantError.check([one]) }
        #expect(throws: TenantError.twice("one")) { try TenantError.check([one, two, one]) }
        #expect(throws: TenantError.tooMany(17)) {
            try TenantError.check(Array(repeating: one, count: 17))
        }
        let dear = try scenario("dear", "prices: small-hoster")
        #expect(throws: TenantError.otherPrices("dear", of: "one")) { try TenantError.check([one, dear]) }
        func regions(_ names: [String]) -> String {
            "services: { regions: [\(names.map { "{ name: \($0), continent: EU }" }.joined(separator: ", "))] }"
        }
        let (here, there) = (
            try scenario("here", regions(["a", "b"])), try scenario("there", regions(["b", "a"]))
        )
        #expect(throws: TenantError.otherOrder("there", of: "here")) { try TenantError.check([here, there]) }
    }
}
