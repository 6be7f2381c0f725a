/// A line of numbers per device, first in, first out.
///
/// Few devices have many and many have few, so a line grows by blocks out of one store for the whole fleet: 12 bytes
/// per device and little more than its numbers take. Appending and removing are O(1).
struct DeviceQueues<Element: FixedWidthInteger & BitwiseCopyable> {
    private static var blockLength: Int { 8 }
    private static var none: UInt32 { .max }

    private struct Queue: BitwiseCopyable {
        /// Blocks; ``DeviceQueues/none`` while the line is empty.
        var first: UInt32 = .max
        var last: UInt32 = .max
        var count: UInt16 = 0
        /// Place of the front in its block.
        var start: UInt8 = 0
    }

    private var queues: [Queue]
    private var elements: [Element] = []
    /// Next block of the same line, or of those that are free.
    private var nextBlocks: [UInt32] = []
    private var free: UInt32 = .max

    init(deviceCount: Int) { queues = Array(repeating: Queue(), count: deviceCount) }

    func count(of device: Int) -> Int { Int(queues[device].count) }

    /// - Precondition: The device has fewer than 65 535.
    mutating func append(_ element: Element, to device: Int) {
        var queue = queues[device]
        precondition(queue.count < .max, "a device cannot have more than \(UInt16.max) tokens")
        let place = (Int(queue.start) + Int(queue.count)) % Self.blockLength
        if queue.count == 0 {
            queue.first = takeBlock()
            queue.last = queue.first
            queue.start = 0
            elements[Int(queue.first) * Self.blockLength] = element
        } else {
            if place == 0 {
                let block = takeBlock()
                nextBlocks[Int(queue.last)] = block
                queue.last = block
            }
            elements[Int(queue.last) * Self.blockLength + place] = element
        }
        queue.count += 1
        queues[device] = queue
    }

    /// `nil` if there is none.
    mutating func removeFirst(of device: Int) -> Element? {
        var queue = queues[device]
        guard queue.count > 0 else { return nil }
        let block = Int(queue.first)
        let element = elements[block * Self.blockLength + Int(queue.start)]
        queue.count -= 1
        queue.start += 1
        if queue.count == 0 || Int(queue.start) == Self.blockLength {
            let next = queue.count == 0 ? Self.none : nextBlocks[block]
            nextBlocks[block] = free
            free = queue.first
            queue.first = next
            queue.start = 0
        }
        queues[device] = queue
        return element
    }

    /// How many at the front of the line are below a bound, before the first that is not.
    func prefixCount(of device: Int, below bound: Element) -> Int {
        let queue = queues[device]
        var (block, place) = (Int(queue.first), Int(queue.start))
        for passed in 0..<Int(queue.count) {
            if place == Self.blockLength { (block, place) = (Int(nextBlocks[block]), 0) }
            guard elements[block * Self.blockLength + place] < bound else { return passed }
            place += 1
        }
        return Int(queue.count)
    }

    private mutating func takeBlock() -> UInt32 {
        guard free == Self.none else {
            let block = free
            free = nextBlocks[Int(block)]
            return block
        }
        elements.append(contentsOf: repeatElement(0, count: Self.blockLength))
        nextBlocks.append(Self.none)
        return UInt32(nextBlocks.count - 1)
    }
}
