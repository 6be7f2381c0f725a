import EventSimulation
import RandomStreams
import Testing

private func at(_ nanoseconds: Int64) -> SimulatedTime { SimulatedTime(nanoseconds: nanoseconds) }

struct IdentityTests {
    /// A queue whose model can make the mistakes that the checks exist for.
    struct Faulty: SimulationModel {
        enum Mistake: CaseIterable { case none, endsLate, endsEarly, losesAnEnd, forgetsToNote, notesTwice }
        enum Event { case arrival, done }

        let mistake: Mistake
        var stream = testStream(8)
        var station = ServiceStation<Int>(servers: 3, queueCapacity: 10)
        var ends = 0

        mutating func start(_ agenda: inout Agenda<Event>) { agenda.schedule(.arrival, after: .zero) }

        mutating func handle(_ event: Event, at now: SimulatedTime, _ agenda: inout Agenda<Event>) {
            switch event {
            case .arrival:
                if station.arrive(0, at: now) == .starts { begin(&agenda) }
                agenda.schedule(.arrival, after: .microseconds(stream.exponential(mean: 1)))
            case .done:
                ends += 1
                if mistake == .losesAnEnd, ends == 1000 { return }
                if station.finish(at: now) != nil { begin(&agenda) }
            }
        }

        private mutating func begin(_ agenda: inout Agenda<Event>) {
            let service = SimulatedDuration.microseconds(stream.exponential(mean: 2.5))
            let error = mistake == .endsLate ? 5 : mistake == .endsEarly ? -5 : 0
            let actual = max(.zero, service + .nanoseconds(Int64(error)))
            if mistake != .forgetsToNote || !ends.isMultiple(of: 1000) { station.noteService(service) }
            if mistake == .notesTwice, ends.isMultiple(of: 1000) { station.noteService(service) }
            agenda.schedule(.done, after: actual)
        }
    }

    @Test("a model that breaks a law is found out", arguments: Faulty.Mistake.allCases)
    func detection(mistake: Faulty.Mistake) {
        var kernel = Kernel(model: Faulty(mistake: mistake))
        kernel.run(until: at(100_000_000))
        let violations = kernel.model.station.identityViolations(at: kernel.now)
        #expect(violations.isEmpty == (mistake == .none), "\(violations)")
    }

    @Test func aSumThatIsOffByANanosecondIsFound() {
        let exact = IdentityCheck(.littlesLaw, expected: 1000, observed: 1000)
        let broken = IdentityCheck(.littlesLaw, expected: 1000, observed: 1001)
        #expect(exact.holds && !broken.holds)
        #expect(broken.difference == 1)
        #expect(
            broken.description == "Little's law, in ns, is violated: kept over time 1001, job by job 1000, "
                + "difference 1")
        let tolerant = IdentityCheck(.utilization, expected: 10, observed: 8, tolerance: -2...0)
        #expect(tolerant.holds)
        #expect(tolerant.description.hasSuffix("difference -2, allowed -2 to 0"))
    }

    enum Outcome { case answered, failed }

    @Test func aLedgerFindsWhatWasLostOrStampedWrongly() {
        var ledger = FlowLedger<Outcome>()
        var stream = testStream(6)
        var inside: [SimulatedTime] = []
        var now = at(0)
        for _ in 0..<10_000 {
            now = now.advanced(by: .nanoseconds(Int64(stream.index(below: 1000))))
            if inside.isEmpty || stream.uniform() < 0.505 {
                ledger.enter(at: now)
                inside.append(now)
            } else {
                let start = inside.remove(at: stream.index(below: inside.count))
                ledger.leave(stream.uniform() < 0.9 ? .answered : .failed, enteredAt: start, at: now)
            }
        }
        let end = now.advanced(by: .microseconds(5))
        func violated(_ stamps: [SimulatedTime]) -> [IdentityCheck.Identity] {
            ledger.identityChecks(at: end, stillInside: stamps).filter { !$0.holds }.map(\.identity)
        }
        #expect(ledger.inside == inside.count && !inside.isEmpty)
        #expect(ledger.left.values.reduce(0, +) + inside.count == ledger.entered)
        #expect(violated(inside) == [])
        #expect(violated(inside.dropLast()) == [.conservation, .littlesLaw])
        var wrong = inside
        wrong[0] = wrong[0].advanced(by: .nanoseconds(1))
        #expect(violated(wrong) == [.littlesLaw])
        ledger.leave(.failed, enteredAt: inside[0].advanced(by: .nanoseconds(-7)), at: end)
        #expect(violated(Array(inside.dropFirst())) == [.littlesLaw])
    }
}
