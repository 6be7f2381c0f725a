/// A line of numbers per device, first in, first out.
///
/// Equal numbers that follow each other are one run, for tokens come by the batch. Few devices have many runs and many
/// have few, so a line grows by blocks of runs out of one store for the whole fleet: 12 bytes per device and little
/// more than its runs take. Appending and removing are O(1).
struct DeviceQueues<Element: FixedWidthInteger & BitwiseCopyable> {
    private static var blockLength: Int { 4 }
    private static var none: UInt32 { .max }

    private struct Queue: BitwiseCopyable {
        /// Blocks; ``DeviceQueues/none`` while the line is empty.
        var first: UInt32 = .max
        var last: UInt32 = .max
        /// Numbers, not runs.
        var count: UInt16 = 0
        /// Place of the front run in its block, and of the last one in its.
        var start: UInt8 = 0
        var end: UInt8 = 0
    }

    private var queues: [Queue]
    /// The number of each run, and how often it stands there.
    private var elements: [Element] = []
    private var lengths: [UInt16] = []
    /// Next block of the same line, or of those that are free.
    private var nextBlocks: [UInt32] = []
    private var free: UInt32 = .max

    init(deviceCount: Int) { queues = Array(repeating: Queue(), count: deviceCount) }

    func count(of device: Int) -> Int { Int(queues[device].count) }

    /// - Precondition: The device has fewer than 65 535.
    mutating func append(_ element: Element, to device: Int) {
        var queue = queues[device]
        precondition(queue.count < .max, "a device cannot have more than \(UInt16.max) tokens")
        if queue.count == 0 {
            queue.first = takeBlock()
            queue.last = queue.first
            (queue.start, queue.end) = (0, 0)
        } else if elements[Self.place(queue.last, queue.end)] != element {
            queue.end += 1
            if Int(queue.end) == Self.blockLength {
                let block = takeBlock()
                nextBlocks[Int(queue.last)] = block
                (queue.last, queue.end) = (block, 0)
            }
        }
        let place = Self.place(queue.last, queue.end)
        elements[place] = element
        lengths[place] += 1
        queue.count += 1
        queues[device] = queue
    }

    /// `nil` if there is none.
    mutating func removeFirst(of device: Int) -> Element? {
        var queue = queues[device]
        guard queue.count > 0 else { return nil }
        let place = Self.place(queue.first, queue.start)
        let element = elements[place]
        queue.count -= 1
        lengths[place] -= 1
        if lengths[place] == 0 {
            queue.start += 1
            if queue.count == 0 || Int(queue.start) == Self.blockLength {
                let block = Int(queue.first)
                let next = queue.count == 0 ? Self.none : nextBlocks[block]
                nextBlocks[block] = free
                free = queue.first
                (queue.first, queue.start) = (next, 0)
            }
        }
        queues[device] = queue
        return element
    }

    /// How many at the front of the line are below a bound, before the first that is not.
    func prefixCount(of device: Int, below bound: Element) -> Int {
        let queue = queues[device]
        var (block, start, passed) = (queue.first, queue.start, 0)
        while passed < Int(queue.count) {
            if Int(start) == Self.blockLength { (block, start) = (nextBlocks[Int(block)], 0) }
            let place = Self.place(block, start)
            guard elements[place] < bound else { return passed }
            passed += Int(lengths[place])
            start += 1
        }
        return Int(queue.count)
    }

    private static func place(_ block: UInt32, _ run: UInt8) -> Int { Int(block) * blockLength + Int(run) }

    /// A block whose runs are all empty.
    private mutating func takeBlock() -> UInt32 {
        guard free == Self.none else {
            let block = free
            free = nextBlocks[Int(block)]
            return block
        }
        elements.append(contentsOf: repeatElement(0, count: Self.blockLength))
        lengths.append(contentsOf: repeatElement(0, count: Self.blockLength))
        nextBlocks.append(Self.none)
        return UInt32(nextBlocks.count - 1)
    }
}
