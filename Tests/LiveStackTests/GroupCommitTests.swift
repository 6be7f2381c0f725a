import Dispatch
import LiveStack
import Synchronization
import Testing

/// Changes of many requests on their way to a disk that sometimes takes nothing.
struct GroupCommitTests {
    /// A disk with room for some units. Numbers are changes, and the units that they take.
    private final class Disk: Sendable {
        private let content = Mutex<(changes: [Int], room: Int, writes: Int)>(([], .max, 0))
        private let gate = DispatchSemaphore(value: 0)

        var changes: [Int] { content.withLock { $0.changes } }
        var writes: Int { content.withLock { $0.writes } }
        func setRoom(_ room: Int) { content.withLock { $0.room = room } }

        /// Lets writes that begin with 0 go on.
        func open() { gate.signal() }

        func write(_ changes: [Int]) throws {
            if changes.first == 0 {
                gate.wait()
                gate.signal()
            }
            try content.withLock { content in
                content.writes += 1
                guard changes.reduce(0, +) <= content.room else { throw Full() }
                content.room -= changes.reduce(0, +)
                content.changes += changes
            }
        }
    }

    private struct Full: Error {}

    /// A commit whose first write, of 0, waits for ``Disk/open()``.
    private static func stuck(
        on disk: Disk, capacity: Int = .max, events: Events = Events()
    ) -> (GroupCommit<Int>, ChangeTicket) {
        let commit = GroupCommit<Int>(
            name: "test", capacity: capacity, report: { events.add($0) }, write: { try disk.write($0) })
        return (commit, commit.add(0, byteCount: 1))
    }

    private final class Events: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func add(_ event: GroupCommit<Int>.Event) {
            names.withLock { names in
                switch event {
                case .failing: names.append("failing")
                case .working: names.append("working")
                }
            }
        }
    }

    @Test func whatCannotBeWrittenTakesNothingElseWithIt() async {
        let disk = Disk()
        disk.setRoom(100)
        let (commit, first) = Self.stuck(on: disk)
        let tickets = [1, 2, 1_000, 3, 4, 2_000, 5].map { commit.add($0, byteCount: 1) }
        disk.open()
        #expect(await first.isStored)
        var stored: [Bool] = []
        for ticket in tickets { stored.append(await ticket.isStored) }
        #expect(stored == [true, true, false, true, true, false, true])
        // In their order, each once.
        #expect(disk.changes == [0, 1, 2, 3, 4, 5])
    }

    @Test func whatWasRefusedIsGoneAndRoomIsNoticed() async {
        let disk = Disk()
        disk.setRoom(0)
        let events = Events()
        let (commit, first) = Self.stuck(on: disk, events: events)
        disk.open()
        #expect(await first.isStored)
        for number in 1...20 { #expect(await commit.add(number, byteCount: 1).isStored == false) }
        disk.setRoom(1_000)
        #expect(await commit.add(77, byteCount: 1).isStored)
        #expect(await commit.add(78, byteCount: 1).isStored)
        #expect(disk.changes == [0, 77, 78])
        #expect(events.all == ["failing", "working"])
    }

    /// Requests that come while the disk is full must not pile up.
    @Test func whatWaitsIsBounded() async {
        let disk = Disk()
        let (commit, first) = Self.stuck(on: disk, capacity: 10)
        let taken = (1...3).map { commit.add($0, byteCount: 3) }
        // What is being written counts: 10 of 10 are taken.
        #expect(await commit.add(4, byteCount: 1).isStored == false)
        disk.open()
        #expect(await first.isStored)
        for ticket in taken { #expect(await ticket.isStored) }
        #expect(disk.changes == [0, 1, 2, 3])
        // One that is larger than the room for all is taken when nothing else waits.
        var isTaken = false
        while !isTaken { isTaken = await commit.add(5, byteCount: 1_000).isStored }
        #expect(disk.changes == [0, 1, 2, 3, 5])
    }

    @Test func changesThatGatherAreOneWrite() async {
        let disk = Disk()
        let (commit, first) = Self.stuck(on: disk)
        let tickets = (1...500).map { commit.add($0, byteCount: 1) }
        disk.open()
        #expect(await first.isStored)
        for ticket in tickets { #expect(await ticket.isStored) }
        #expect(disk.writes <= 2)
    }
}
