import EventSimulation
import TestSupport
import Testing

private func at(_ nanoseconds: Int64) -> SimulatedTime { SimulatedTime(nanoseconds: nanoseconds) }

/// The fair discipline as its definition says it: one list that is sorted again for every question.
private struct PlainLine {
    struct Entry: Equatable {
        let number: Int
        let owner: Int
        let due: Int64
        let work: Int64
        let came: Int64
    }

    let countLimit: Int
    let waitLimit: Int64
    var servers: Int64
    private(set) var entries: [Entry] = []
    /// When the last one of an owner is due that has come, for those of whom any waits.
    private var dues: [Int: Int64] = [:]
    private var clock: Int64 = 0
    private var added = 0

    init(countLimit: Int, waitLimit: Int64, servers: Int64) {
        self.countLimit = countLimit
        self.waitLimit = waitLimit
        self.servers = servers
    }

    private func inOrder(_ entries: [Entry]) -> [Entry] {
        entries.sorted { ($0.due, $0.number) < ($1.due, $1.number) }
    }

    private func fits(_ entries: [Entry]) -> Bool {
        entries.count <= countLimit
            && (entries.count <= 1 || entries.reduce(0) { $0 + $1.work } <= waitLimit * servers)
    }

    private mutating func forgetPast() {
        if entries.isEmpty { clock = 0 }
        for owner in dues.keys where !entries.contains(where: { $0.owner == owner }) { dues[owner] = nil }
    }

    /// - Returns: Numbers of those that have to go.
    mutating func add(owner: Int, work: Int64, at time: Int64) -> [Int] {
        let new = Entry(
            number: added, owner: owner, due: max(clock, dues[owner] ?? clock) + work, work: work, came: time)
        added += 1
        var left = inOrder(entries + [new])
        var gone: [Int] = []
        while !fits(left), let last = left.popLast() { gone.append(last.number) }
        if gone.last == new.number {
            gone = [new.number]
        } else {
            entries = left
        }
        dues[owner] = new.due
        forgetPast()
        return gone
    }

    mutating func next(where isWanted: (Entry) -> Bool = { _ in true }) -> Int? {
        guard let entry = inOrder(entries).first(where: isWanted) else { return nil }
        entries.removeAll { $0 == entry }
        clock = max(clock, entry.due)
        forgetPast()
        return entry.number
    }

    mutating func removeLate(at time: Int64) -> [Int] {
        let late = entries.filter { time - $0.came > waitLimit }.sorted { $0.number < $1.number }
        entries.removeAll { late.contains($0) }
        forgetPast()
        return late.map(\.number)
    }
}

/// The fair discipline against its definition, and against what is known of it.
struct FairLineTests {
    @Test(arguments: UInt64(0)..<40)
    func everyDecisionIsThatOfTheDefinition(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let (countLimit, waitLimit) = (random.pick([1, 5, 40, 400]), Int64(random.pick([50, 500, 5_000])))
        let owners = random.pick([1, 2, 7, 60])
        let servers = random.pick([1, 3])
        var line = WaitingLine<UInt32, Int>(
            .fair, servers: servers, countLimit: countLimit, waitLimit: .nanoseconds(waitLimit))
        var plain = PlainLine(countLimit: countLimit, waitLimit: waitLimit, servers: Int64(servers))
        var (now, number, kinds): (Int64, Int, [Int: Int]) = (0, 0, [:])
        for _ in 0..<1_500 {
            now += Int64(random.below(20))
            switch random.below(10) {
            case 0..<6:
                let (owner, work) = (random.below(owners), Int64(random.pick([0, 3, 10, 10, 40])))
                // Kind 0 is served by itself, the others are two units each.
                let kind = random.below(4)
                kinds[number] = kind
                let room = line.add(
                    number, owner: UInt32(owner), work: .nanoseconds(work), units: kind == 0 ? 0 : 2,
                    at: at(now))
                let gone: [Int] =
                    switch room {
                    case .free: []
                    case .none: [number]
                    case .insteadOf(let entries): entries.map(\.element)
                    }
                let expected = plain.add(owner: owner, work: work, at: now)
                #expect(gone == expected)
                number += 1
            case 6..<9:
                let next = line.next()?.element
                let expected = plain.next()
                #expect(next == expected)
                guard next != nil else { continue }
                let followers = line.takeFollowers(of: 2, within: GroupBounds(count: 4, units: 7))
                let share = (plain.entries.count { kinds[$0.number] != 0 } + servers) / servers
                let along = (1..<max(1, min(share, 3))).compactMap { _ in
                    plain.next { kinds[$0.number] != 0 }
                }
                #expect(followers.map(\.element) == along)
            default:
                let late = line.removeLate(at: at(now)).map(\.element)
                let expected = plain.removeLate(at: now)
                #expect(late == expected)
            }
            #expect(line.count == plain.entries.count)
            #expect(line.work.nanoseconds == plain.entries.reduce(0) { $0 + $1.work })
        }
    }

    /// Tags of all entries by the definition, of owners that all wait from the start: nothing moves the clock before the
    /// last has come.
    @Test func ahundredThousandWaitInOrder() {
        var random = SplitMix(seed: 5)
        var line = WaitingLine<UInt32, Int>(.fair, servers: 1)
        var dues: [UInt32: Int64] = [:]
        var tags: [(due: Int64, number: Int)] = []
        for number in 0..<100_000 {
            let (owner, work) = (UInt32(random.below(20_000)), Int64(random.below(1_000)))
            dues[owner, default: 0] += work
            tags.append((dues[owner, default: 0], number))
            _ = line.add(number, owner: owner, work: .nanoseconds(work), at: .start)
        }
        tags.sort { $0 < $1 }
        for tag in tags {
            let next = line.next()?.element
            if next != tag.number { Issue.record("\(String(describing: next)) instead of \(tag)") }
        }
        #expect(line.count == 0 && line.work == .zero)
    }

    /// Golestani, INFOCOM 1994: of two owners who both wait all the time, one gets at most the largest entries of both
    /// more than the other.
    @Test(arguments: UInt64(0)..<10)
    func ownersWhoWaitAllTheTimeGetTheSame(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var line = WaitingLine<UInt32, (owner: Int, work: Int64)>(.fair, servers: 1)
        let largest: [Int64] = [10, 10, 50, 200, 1_000]
        var served = largest.map { _ in Int64(0) }
        func refill(_ owner: Int) {
            let work = 1 + Int64(random.below(Int(largest[owner])))
            _ = line.add(
                (owner, work), owner: UInt32(owner), work: .nanoseconds(work), at: .start)
        }
        for owner in largest.indices { for _ in 0..<1 + random.below(30) { refill(owner) } }
        for _ in 0..<20_000 {
            guard let next = line.next()?.element else { break }
            served[next.owner] += next.work
            refill(next.owner)
            for one in largest.indices {
                for other in largest.indices where served[one] - served[other] > largest[one] + largest[other]
                {
                    Issue.record("\(served) after an entry of \(next.owner)")
                    return
                }
            }
        }
        #expect(served.allSatisfy { $0 > 10_000 })
    }

    /// Jobs at a station that come at random, and take what they say.
    private func waits(
        _ discipline: QueueDiscipline, servers: Int, limit: Int?, owners: Int, work: (inout SplitMix) -> Int64
    ) -> (waits: [Int: Int64], refused: [Int]) {
        var random = SplitMix(seed: 11)
        var station = ServiceStation<Int>(servers: servers, discipline: discipline, queueCapacity: limit)
        var (came, works): ([Int64], [Int64]) = ([], [])
        var ends: [(time: Int64, job: Int)] = []
        var (waits, refused): ([Int: Int64], [Int]) = ([:], [])
        var now: Int64 = 0
        func finish(until time: Int64) {
            while let end = ends.min(by: { ($0.time, $0.job) < ($1.time, $1.job) }), end.time <= time {
                ends.removeAll { $0.job == end.job }
                guard let next = station.finish(at: at(end.time)) else { continue }
                waits[next] = end.time - came[next]
                ends.append((end.time + works[next], next))
            }
        }
        for job in 0..<5_000 {
            now += Int64(random.below(2_000 / servers))
            finish(until: now)
            came.append(now)
            works.append(work(&random))
            let owner = UInt32(random.below(owners))
            switch station.arrive(job, owner: owner, work: .nanoseconds(works[job]), at: at(now)) {
            case .starts:
                waits[job] = 0
                ends.append((now + works[job], job))
            case .waits: break
            case .rejected: refused.append(job)
            case .displaces(let jobs): refused += jobs
            }
            if job.isMultiple(of: 500) { #expect(station.identityViolations(at: at(now)) == []) }
        }
        finish(until: .max)
        #expect(station.totals.rejections == refused.count && waits.count + refused.count == 5_000)
        return (waits, refused)
    }

    @Test(arguments: [1, 3], [nil, 6])
    func ofOneOwnerItIsFirstCome(servers: Int, limit: Int?) {
        let work = { (random: inout SplitMix) in Int64(random.below(1_900)) }
        let fair = waits(.fair, servers: servers, limit: limit, owners: 1, work: work)
        let first = waits(.firstCome, servers: servers, limit: limit, owners: 1, work: work)
        #expect(fair.waits == first.waits && fair.refused == first.refused)
        #expect(limit == nil || !fair.refused.isEmpty)
    }

    /// Which of the waiting jobs is next changes nothing of when a server is free, if all take the same.
    @Test(arguments: [1, 3], [2, 40])
    func ofEqualWorkTheMeanWaitIsTheSame(servers: Int, owners: Int) {
        let fair = waits(.fair, servers: servers, limit: nil, owners: owners) { _ in 950 }
        let first = waits(.firstCome, servers: servers, limit: nil, owners: owners) { _ in 950 }
        #expect(fair.waits != first.waits)
        #expect(fair.waits.values.reduce(0, +) == first.waits.values.reduce(0, +))
        #expect(fair.waits.values.reduce(0, +) > 100_000)
    }
}
