import LiveStack
import Testing

/// Who is served next, and who has to go, when many wait.
struct FairLineTests {
    private func served(_ line: inout FairLine<String>) -> [String] {
        var order: [String] = []
        while let next = line.next() { order.append(next) }
        return order
    }

    @Test func equalsAreServedInTheOrderInWhichTheyCame() {
        var line = FairLine<String>(countLimit: 10, waitLimit: 10, serverCount: 1)
        for name in ["a", "b", "c", "d"] { #expect(line.add(name, owner: name, cost: 1, at: 0).isEmpty) }
        #expect(line.cost == 4)
        #expect(served(&line) == ["a", "b", "c", "d"])
        #expect(line.cost == 0 && line.count == 0)
    }

    @Test func whoAsksForLittleDoesNotWaitForWhoAsksForMuch() {
        var line = FairLine<String>(countLimit: 1_000, waitLimit: 1_000, serverCount: 1)
        for number in 0..<100 { _ = line.add("much \(number)", owner: "much", cost: 1, at: 0) }
        for _ in 0..<40 { _ = line.next() }
        _ = line.add("little", owner: "little", cost: 1, at: 0)
        // One of the other owner may be due at the same time.
        #expect([line.next(), line.next()].contains("little"))
        // Dear requests count for what they cost: ten cheap ones come before the second dear one.
        var other = FairLine<String>(countLimit: 100, waitLimit: 1_000, serverCount: 1)
        for _ in 0..<2 { _ = other.add("dear", owner: "dear", cost: 10, at: 0) }
        for _ in 0..<10 { _ = other.add("cheap", owner: "cheap", cost: 1, at: 0) }
        let order = served(&other)
        #expect(order.prefix(9).allSatisfy { $0 == "cheap" })
        #expect(order.last == "dear")
    }

    @Test func whoHasMostHasToGoWhenThereIsNoRoom() {
        var line = FairLine<String>(countLimit: 4, waitLimit: 100, serverCount: 1)
        for number in 0..<4 { #expect(line.add("much \(number)", owner: "much", cost: 1, at: 0).isEmpty) }
        #expect(line.add("much 4", owner: "much", cost: 1, at: 0) == ["much 4"])
        #expect(line.add("little", owner: "little", cost: 1, at: 0) == ["much 3"])
        #expect(line.count == 4)
        // By cost as well. One that is dearer than all there may be waits alone.
        var dear = FairLine<String>(countLimit: 100, waitLimit: 3, serverCount: 1)
        #expect(dear.add("huge", owner: "a", cost: 9, at: 0).isEmpty)
        #expect(dear.add("small", owner: "b", cost: 1, at: 0) == ["huge"])
        #expect(dear.add("big", owner: "a", cost: 3, at: 0) == ["big"])
        #expect(dear.add("fits", owner: "a", cost: 2, at: 0).isEmpty)
        #expect(served(&dear) == ["small", "fits"])
    }

    @Test func aPauseIsForgotten() {
        var line = FairLine<String>(countLimit: 100, waitLimit: 100, serverCount: 1)
        for _ in 0..<50 { _ = line.add("x", owner: "early", cost: 1, at: 0) }
        #expect(served(&line).count == 50)
        // Who was busy before the pause owes nothing.
        _ = line.add("early", owner: "early", cost: 1, at: 0)
        _ = line.add("late", owner: "late", cost: 1, at: 0)
        #expect(served(&line) == ["early", "late"])
    }

    @Test func othersStayWhereTheyAre() {
        var line = FairLine<String>(countLimit: 100, waitLimit: 100, serverCount: 1)
        for name in ["a", "b", "a", "c"] { _ = line.add(name, owner: name + "\(line.count)", cost: 1, at: 0) }
        #expect(line.count { $0 == "a" } == 2)
        #expect(line.next { $0 == "c" } == "c")
        #expect(line.next { $0 == "c" } == nil)
        #expect(served(&line) == ["a", "b", "a"])
    }

    @Test func whatWouldWaitTooLongIsRefusedAtOnce() {
        // Two threads with 3 s each are full with six jobs of 1 s, and at half the pace with three.
        var line = FairLine<String>(countLimit: 100, waitLimit: 3, serverCount: 2)
        let names = (0..<8).map { "job \($0)" }
        #expect(names.flatMap { line.add($0, owner: $0, cost: 1, at: 0) } == ["job 6", "job 7"])
        #expect(line.wait == 3)
        var slow = FairLine<String>(countLimit: 100, waitLimit: 3, serverCount: 2)
        slow.pace = 2
        #expect(names.flatMap { slow.add($0, owner: $0, cost: 1, at: 0) } == Array(names[3...]))
    }

    @Test func whatHasWaitedTooLongIsTakenOut() {
        var line = FairLine<String>(countLimit: 100, waitLimit: 1, serverCount: 1)
        for (time, name) in zip([0, 0.5, 1, 1.5], ["a", "b", "c", "d"]) {
            #expect(line.add(name, owner: name, cost: 0.1, at: time).isEmpty)
        }
        #expect(line.removeLate(at: 1).isEmpty)
        #expect(line.removeLate(at: 1.75).sorted() == ["a", "b"])
        #expect(abs(line.cost - 0.2) < 1e-12)
        #expect(served(&line) == ["c", "d"])
    }

    /// One thread that takes 1/16 s for a job, jobs of as many owners at up to five times that rate, and an estimate that
    /// is wrong by a factor.
    ///
    /// - Returns: Jobs per service time that ended within 2 s, and the longest wait until one began.
    private func overload(
        _ load: Double, estimate: Double
    ) -> (inTime: Double, longestWait: Double) {
        let service = 0.0625
        var line = FairLine<Double>(countLimit: 256, waitLimit: 1, serverCount: 1)
        var (free, inTime, longest) = (0.0, 0, 0.0)
        let end = 4_000 * service
        var arrival = 0.0
        var number = 0
        while arrival < end {
            // What the thread does until the next one comes.
            while free <= arrival {
                _ = line.removeLate(at: free)
                guard let came = line.next() else { break }
                longest = max(longest, free - came)
                free += service
                if free - came <= 2 { inTime += 1 }
            }
            free = max(free, arrival)
            _ = line.removeLate(at: arrival)
            _ = line.add(arrival, owner: "\(number)", cost: service * estimate, at: arrival)
            number += 1
            arrival += service / load
        }
        return (Double(inTime) * service / end, longest)
    }

    @Test(arguments: [0.5, 1, 2, 3, 5], [0.25, 1, 3])
    func pastSaturationTheCapacityIsAnsweredInTime(load: Double, estimate: Double) {
        let (inTime, longestWait) = overload(load, estimate: estimate)
        // 0.01: what is in the line at the end, 16 jobs, of 4000.
        #expect(abs(inTime - min(1, load)) < 0.01)
        #expect(longestWait <= 1)
        // A good estimate refuses at once: nobody waits for a refusal.
        if load > 1 { #expect(longestWait > (estimate == 3 ? 0.2 : 0.9)) }
    }
}
