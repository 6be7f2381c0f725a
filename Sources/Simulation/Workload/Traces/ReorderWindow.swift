/// Puts records into order of time with bounded memory.
///
/// A record leaves when it is older than the newest one by the length of the
/// window, or when more records wait than allowed; records of the same time
/// leave in the order in which they came.
struct ReorderWindow {
    /// Length in nanoseconds; `nil`: only the number of records counts.
    let length: Int64?
    let maximumCount: Int

    /// Binary min-heap over (time, sequence); the records stand apart in
    /// `waiting`, so that sifting moves small values only.
    private var heap: [Key] = []
    private var waiting: [TraceRecord?] = []
    private var freeSlots: [Int] = []
    private var sequence = 0
    private var newest = Int64.min
    private var lastOut = Int64.min

    private struct Key: Comparable {
        let time: Int64
        let sequence: Int
        let slot: Int

        static func < (left: Key, right: Key) -> Bool {
            left.time != right.time ? left.time < right.time : left.sequence < right.sequence
        }
    }

    init(length: Int64?, maximumCount: Int) {
        precondition(length ?? 0 >= 0 && maximumCount >= 0, "a window cannot be negative")
        self.length = length
        self.maximumCount = maximumCount
    }

    /// Takes a record.
    ///
    /// - Returns: `false` if records later than it have left already.
    mutating func insert(_ record: TraceRecord) -> Bool {
        guard record.time >= lastOut else { return false }
        newest = max(newest, record.time)
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
            waiting[slot] = record
        } else {
            slot = waiting.count
            waiting.append(record)
        }
        heap.append(Key(time: record.time, sequence: sequence, slot: slot))
        sequence += 1
        siftUp()
        return true
    }

    /// The next record that need not wait any longer.
    mutating func popReady() -> TraceRecord? {
        guard let first = heap.first else { return nil }
        if heap.count > maximumCount { return pop() }
        guard let length else { return nil }
        let (age, overflow) = newest.subtractingReportingOverflow(first.time)
        return overflow || age >= length ? pop() : nil
    }

    /// The earliest record.
    mutating func pop() -> TraceRecord? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            siftDown()
        }
        lastOut = first.time
        freeSlots.append(first.slot)
        return waiting[first.slot].take()
    }

    private mutating func siftUp() {
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child] < heap[parent] else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { return }
            if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
            guard heap[child] < heap[parent] else { return }
            heap.swapAt(child, parent)
            parent = child
        }
    }
}
