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
        var line = FairLine<String>(countLimit: 10, costLimit: 10)
        for name in ["a", "b", "c", "d"] { #expect(line.add(name, owner: name, cost: 1).isEmpty) }
        #expect(line.cost == 4)
        #expect(served(&line) == ["a", "b", "c", "d"])
        #expect(line.cost == 0 && line.count == 0)
    }

    @Test func whoAsksForLittleDoesNotWaitForWhoAsksForMuch() {
        var line = FairLine<String>(countLimit: 1_000, costLimit: 1_000)
        for number in 0..<100 { _ = line.add("much \(number)", owner: "much", cost: 1) }
        for _ in 0..<40 { _ = line.next() }
        _ = line.add("little", owner: "little", cost: 1)
        // One of the other owner may be due at the same time.
        #expect([line.next(), line.next()].contains("little"))
        // Dear requests count for what they cost: ten cheap ones come before the second dear one.
        var other = FairLine<String>(countLimit: 100, costLimit: 1_000)
        for _ in 0..<2 { _ = other.add("dear", owner: "dear", cost: 10) }
        for _ in 0..<10 { _ = other.add("cheap", owner: "cheap", cost: 1) }
        let order = served(&other)
        #expect(order.prefix(9).allSatisfy { $0 == "cheap" })
        #expect(order.last == "dear")
    }

    @Test func whoHasMostHasToGoWhenThereIsNoRoom() {
        var line = FairLine<String>(countLimit: 4, costLimit: 100)
        for number in 0..<4 { #expect(line.add("much \(number)", owner: "much", cost: 1).isEmpty) }
        #expect(line.add("much 4", owner: "much", cost: 1) == ["much 4"])
        #expect(line.add("little", owner: "little", cost: 1) == ["much 3"])
        #expect(line.count == 4)
        // By cost as well. One that is dearer than all there may be waits alone.
        var dear = FairLine<String>(countLimit: 100, costLimit: 3)
        #expect(dear.add("huge", owner: "a", cost: 9).isEmpty)
        #expect(dear.add("small", owner: "b", cost: 1) == ["huge"])
        #expect(dear.add("big", owner: "a", cost: 3) == ["big"])
        #expect(dear.add("fits", owner: "a", cost: 2).isEmpty)
        #expect(served(&dear) == ["small", "fits"])
    }

    @Test func aPauseIsForgotten() {
        var line = FairLine<String>(countLimit: 100, costLimit: 100)
        for _ in 0..<50 { _ = line.add("x", owner: "early", cost: 1) }
        #expect(served(&line).count == 50)
        // Who was busy before the pause owes nothing.
        _ = line.add("early", owner: "early", cost: 1)
        _ = line.add("late", owner: "late", cost: 1)
        #expect(served(&line) == ["early", "late"])
    }

    @Test func othersStayWhereTheyAre() {
        var line = FairLine<String>(countLimit: 100, costLimit: 100)
        for name in ["a", "b", "a", "c"] { _ = line.add(name, owner: name + "\(line.count)", cost: 1) }
        #expect(line.count { $0 == "a" } == 2)
        #expect(line.next { $0 == "c" } == "c")
        #expect(line.next { $0 == "c" } == nil)
        #expect(served(&line) == ["a", "b", "a"])
    }
}
