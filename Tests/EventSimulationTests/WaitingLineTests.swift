import EventSimulation
import TestSupport
import Testing

private func at(_ seconds: Double) -> SimulatedTime { .start.advanced(by: .seconds(seconds)) }

private typealias Line = WaitingLine<String, String>

extension WaitingLine where Owner == String {
    /// - Returns: The elements that find no room, the new one or others.
    fileprivate mutating func add(
        _ element: Element, _ owner: String, _ seconds: Double, at time: Double = 0, units: Int = 0
    ) -> [Element] {
        switch add(element, owner: owner, work: .seconds(seconds), units: units, at: at(time)) {
        case .free: []
        case .none: [element]
        case .insteadOf(let entries): entries.map(\.element)
        }
    }

    fileprivate mutating func served() -> [Element] {
        var order: [Element] = []
        while let next = next() { order.append(next.element) }
        return order
    }
}

/// Who is served next, and who has to go, when many wait.
struct WaitingLineTests {
    @Test(arguments: QueueDiscipline.allCases)
    func equalsAreServedInTheOrderInWhichTheyCame(discipline: QueueDiscipline) {
        var line = Line(discipline, servers: 1, countLimit: 10, waitLimit: .seconds(10))
        for name in ["a", "b", "c", "d"] {
            let gone = line.add(name, name, 1)
            #expect(gone.isEmpty)
        }
        #expect(line.work == .seconds(4) && line.first == "a")
        let order = line.served()
        #expect(order == ["a", "b", "c", "d"])
        #expect(line.work == .zero && line.count == 0 && line.first == nil)
    }

    @Test func whoAsksForLittleDoesNotWaitForWhoAsksForMuch() {
        var line = Line(.fair, servers: 1, countLimit: 1_000, waitLimit: .seconds(1_000))
        for number in 0..<100 { _ = line.add("much \(number)", "much", 1) }
        for _ in 0..<40 { _ = line.next() }
        _ = line.add("little", "little", 1)
        // One of the other owner may be due at the same time.
        let next = [line.next()?.element, line.next()?.element]
        #expect(next.contains("little"))
        // Dear requests count for what they cost: ten cheap ones come before the second dear one.
        var other = Line(.fair, servers: 1, countLimit: 100, waitLimit: .seconds(1_000))
        for _ in 0..<2 { _ = other.add("dear", "dear", 10) }
        for _ in 0..<10 { _ = other.add("cheap", "cheap", 1) }
        let order = other.served()
        #expect(order.prefix(9).allSatisfy { $0 == "cheap" })
        #expect(order.last == "dear")
    }

    @Test func whoHasMostHasToGoWhenThereIsNoRoom() {
        var line = Line(.fair, servers: 1, countLimit: 4, waitLimit: .seconds(100))
        let much = (0...4).flatMap { line.add("much \($0)", "much", 1) }
        let little = line.add("little", "little", 1)
        #expect(much == ["much 4"] && little == ["much 3"] && line.count == 4)
        // By cost as well. One that is dearer than all there may be waits alone.
        var dear = Line(.fair, servers: 1, countLimit: 100, waitLimit: .seconds(3))
        let gone = [
            dear.add("huge", "a", 9), dear.add("small", "b", 1), dear.add("big", "a", 3),
            dear.add("fits", "a", 2),
        ]
        #expect(gone == [[], ["huge"], ["big"], []])
        let order = dear.served()
        #expect(order == ["small", "fits"])
    }

    /// The second entry of `b` is due after 4 s, what is new after 3.5 s: both together are too much, and so is the new
    /// one without it.
    @Test func nobodyGoesForOneThatHasToGoItself() {
        var line = Line(.fair, servers: 1, countLimit: 100, waitLimit: .seconds(5))
        let gone = [
            line.add("a", "a", 1), line.add("b", "b", 2), line.add("b again", "b", 2),
            line.add("huge", "c", 3.5),
        ]
        #expect(gone == [[], [], [], ["huge"]])
        let order = line.served()
        #expect(order == ["a", "b", "b again"])
    }

    @Test func firstComeRefusesTheNewcomer() {
        var line = Line(.firstCome, servers: 1, countLimit: 2)
        let gone = ["a", "b", "c"].flatMap { line.add($0, "much", 1) } + line.add("d", "little", 1)
        let order = line.served()
        #expect(gone == ["c", "d"] && order == ["a", "b"])
    }

    @Test func aPauseIsForgotten() {
        var line = Line(.fair, servers: 1)
        for _ in 0..<50 { _ = line.add("x", "early", 1) }
        let count = line.served().count
        // Who was busy before the pause owes nothing.
        _ = line.add("early", "early", 1)
        _ = line.add("late", "late", 1)
        let order = line.served()
        #expect(count == 50 && order == ["early", "late"])
    }

    @Test func whatWouldWaitTooLongIsRefusedAtOnce() {
        // Two servers with 3 s each are full with six jobs of 1 s, and at half the pace with three.
        var line = Line(.fair, servers: 2, countLimit: 100, waitLimit: .seconds(3))
        let names = (0..<8).map { "job \($0)" }
        let gone = names.flatMap { line.add($0, $0, 1) }
        #expect(gone == ["job 6", "job 7"])
        var slow = Line(.fair, servers: 2, countLimit: 100, waitLimit: .seconds(3))
        slow.pace = 2
        let more = names.flatMap { slow.add($0, $0, 1) }
        #expect(more == Array(names[3...]))
    }

    @Test(arguments: QueueDiscipline.allCases)
    func whatHasWaitedTooLongIsTakenOut(discipline: QueueDiscipline) {
        var line = Line(discipline, servers: 1, countLimit: 100, waitLimit: .seconds(1))
        // Due in the opposite order.
        for (time, name) in zip([0, 0.5, 1, 1.5], ["a", "b", "c", "d"]) {
            let gone = line.add(name, name, 0.4 - time / 5, at: time)
            #expect(gone.isEmpty)
        }
        let none = line.removeLate(at: at(1))
        let late = line.removeLate(at: at(1.75)).map(\.element)
        #expect(none.isEmpty && late == ["a", "b"])
        #expect(line.work == .seconds(0.3) && line.count == 2)
        let order = line.served()
        #expect(order == (discipline == .fair ? ["d", "c"] : ["c", "d"]))
    }

    /// Ten that can be together and one that cannot, which is third; two servers share them.
    @Test(arguments: QueueDiscipline.allCases)
    func aGroupIsAShareOfTheLine(discipline: QueueDiscipline) {
        func group(_ units: Int, _ bounds: GroupBounds, servers: Int = 2) -> [String] {
            var line = Line(discipline, servers: servers)
            for number in 0..<11 {
                _ = line.add("\(number)", "\(number)", 1, units: number == 2 ? 0 : 3)
            }
            let followers = line.takeFollowers(of: units, within: bounds)
            #expect(line.count == 11 - followers.count)
            #expect(line.work == .seconds(Double(line.count)))
            return followers.map(\.element)
        }
        // Six at most with the first, and by the fair order nobody is in the way of others.
        let all = discipline == .fair ? ["0", "1", "3", "4", "5"] : ["0", "1"]
        #expect(group(3, GroupBounds(count: 100)) == all)
        #expect(group(3, GroupBounds(count: 3)) == ["0", "1"])
        #expect(group(3, GroupBounds(count: 100, units: 11)) == ["0", "1"])
        #expect(group(3, GroupBounds(count: 100, units: 6)) == ["0"])
        #expect(group(30, GroupBounds(count: 100, units: 6)) == [])
        #expect(group(3, GroupBounds(count: 100), servers: 12) == [])
        #expect(group(3, GroupBounds(count: 100), servers: 5) == ["0", "1"])
    }

    /// One server that takes 1/16 s for a job, jobs of as many owners at up to five times that rate, and an estimate
    /// that is wrong by a factor.
    ///
    /// - Returns: Jobs per service time that ended within 2 s, and the longest wait until one began.
    private func overload(
        _ discipline: QueueDiscipline, _ load: Double, estimate: Double
    ) -> (inTime: Double, longestWait: Double) {
        let service = 0.0625
        var line = WaitingLine<String, Double>(
            discipline, servers: 1, countLimit: 256, waitLimit: .seconds(1))
        var (free, inTime, longest) = (0.0, 0, 0.0)
        let end = 4_000 * service
        var arrival = 0.0
        var number = 0
        while arrival < end {
            // Work of the server until the next one comes.
            while free <= arrival {
                _ = line.removeLate(at: at(free))
                guard let came = line.next()?.element else { break }
                longest = max(longest, free - came)
                free += service
                if free - came <= 2 { inTime += 1 }
            }
            free = max(free, arrival)
            _ = line.removeLate(at: at(arrival))
            _ = line.add(arrival, "\(number)", service * estimate, at: arrival)
            number += 1
            arrival += service / load
        }
        return (Double(inTime) * service / end, longest)
    }

    @Test(arguments: [0.5, 1, 2, 3, 5], [0.25, 1, 3])
    func pastSaturationTheCapacityIsAnsweredInTime(load: Double, estimate: Double) {
        for discipline in QueueDiscipline.allCases {
            let (inTime, longestWait) = overload(discipline, load, estimate: estimate)
            // 0.01: what is in the line at the end, 16 jobs, of 4000.
            #expect(abs(inTime - min(1, load)) < 0.01)
            #expect(longestWait <= 1 + 1e-9)
            // A good estimate refuses at once: nobody waits for a refusal.
            if load > 1 { #expect(longestWait > (estimate == 3 ? 0.2 : 0.9)) }
        }
    }
}
