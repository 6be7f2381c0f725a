/// Events sorted by time only as far as needed: 64 slots per level, each level 64 times coarser.
///
/// An event lies on the level of the highest base-64 digit in which its time
/// differs from the wheel's current time, in the slot of that digit. So the
/// first occupied slot of the lowest occupied level holds the earliest events,
/// and eleven levels reach any 64-bit time. A slot is a chain of fixed-size
/// chunks from a common pool; one chunk is a few cache lines.
@usableFromInline
struct TimingWheel<Event: BitwiseCopyable>: ~Copyable {
    @usableFromInline typealias Entry = QueuedEvent<Event>

    @usableFromInline
    struct Slot: BitwiseCopyable {
        /// First chunk, or -1.
        @usableFromInline var chunk: Int32 = -1
        /// Events in all chunks of the slot.
        @usableFromInline var size: Int32 = 0

        @inlinable init() {}
    }

    /// Lies where the first entry of a chunk would.
    @usableFromInline
    struct ChunkHeader: BitwiseCopyable {
        @usableFromInline var next: Int32
        @usableFromInline var count: Int32

        @inlinable
        init(next: Int32, count: Int32) {
            self.next = next
            self.count = count
        }
    }

    @inlinable static var levelCount: Int { 11 }
    @inlinable static var slotsPerLevel: Int { 64 }
    /// Places for entries in a chunk; the first one holds the header.
    @inlinable static var chunkPlaces: Int { 16 }

    @usableFromInline var places: UnsafeMutablePointer<Entry>
    @usableFromInline var chunkCount: Int32 = 0
    @usableFromInline var chunkCapacity: Int32 = 64
    @usableFromInline var freeChunk: Int32 = -1
    /// All levels one after the other, finest first.
    @usableFromInline let slots: UnsafeMutablePointer<Slot>
    /// One bit per occupied slot, one word per level.
    @usableFromInline let occupied: UnsafeMutablePointer<UInt64>
    /// One bit per level that has an occupied slot.
    @usableFromInline var occupiedLevels: UInt32 = 0
    /// No event in the wheel is earlier than this.
    @usableFromInline var now: UInt64 = 0

    @inlinable
    init() {
        places = .allocate(capacity: Int(chunkCapacity) * Self.chunkPlaces)
        slots = .allocate(capacity: Self.levelCount * Self.slotsPerLevel)
        slots.initialize(repeating: Slot(), count: Self.levelCount * Self.slotsPerLevel)
        occupied = .allocate(capacity: Self.levelCount)
        occupied.initialize(repeating: 0, count: Self.levelCount)
    }

    @inlinable
    deinit {
        places.deallocate()
        slots.deallocate()
        occupied.deallocate()
    }

    @inlinable
    mutating func insert(_ entry: Entry) {
        let difference = (entry.time ^ now) | 1
        let level = (63 &- difference.leadingZeroBitCount) / 6
        let digit = Int(truncatingIfNeeded: entry.time &>> UInt64(6 &* level)) & 63
        let slot = slots + (level &* Self.slotsPerLevel &+ digit)
        var chunk = slot.pointee.chunk
        if chunk < 0 || header(of: chunk).pointee.count == Self.chunkPlaces - 1 {
            let fresh = takeChunk()
            header(of: fresh).pointee = ChunkHeader(next: chunk, count: 0)
            slot.pointee.chunk = fresh
            chunk = fresh
        }
        let count = header(of: chunk).pointee.count &+ 1
        header(of: chunk).pointee.count = count
        places[Int(chunk) &* Self.chunkPlaces &+ Int(count)] = entry
        slot.pointee.size &+= 1
        occupied[level] |= 1 &<< UInt64(digit)
        occupiedLevels |= 1 &<< UInt32(level)
    }

    @inlinable var isEmpty: Bool { occupiedLevels == 0 }

    /// The slot with the earliest events, or `nil` if the wheel is empty.
    @inlinable
    func firstSlot() -> Int? {
        guard occupiedLevels != 0 else { return nil }
        let level = occupiedLevels.trailingZeroBitCount
        return level * Self.slotsPerLevel + occupied[level].trailingZeroBitCount
    }

    @inlinable
    func size(of slot: Int) -> Int { Int(slots[slot].size) }

    /// The first instant that falls into an occupied slot.
    @inlinable
    func start(of slot: Int) -> UInt64 {
        let shift = UInt64(6 * (slot / Self.slotsPerLevel))
        return (places[Int(slots[slot].chunk) * Self.chunkPlaces + 1].time &>> shift) &<< shift
    }

    /// The first instant after a slot that begins at `start`.
    @inlinable
    func end(of slot: Int, from start: UInt64) -> UInt64 {
        start + 1 << UInt64(6 * (slot / Self.slotsPerLevel))
    }

    /// Moves the current time; no event may be earlier, and no finer slot occupied.
    @inlinable
    mutating func advance(to time: UInt64) { now = time }

    /// Empties a slot into `destination`, which has room, in no order.
    @inlinable
    mutating func take(_ slot: Int, into destination: UnsafeMutablePointer<Entry>) -> Int {
        var taken = 0
        var chunk = detach(slot)
        while chunk >= 0 {
            let head = header(of: chunk).pointee
            let count = Int(head.count)
            (destination + taken).update(
                from: places + (Int(chunk) * Self.chunkPlaces + 1), count: count)
            taken += count
            giveBack(chunk)
            chunk = head.next
        }
        return taken
    }

    /// Inserts the events of a slot again.
    @inlinable
    mutating func scatter(_ slot: Int) {
        var chunk = detach(slot)
        while chunk >= 0 {
            let head = header(of: chunk).pointee
            for place in 1...Int(head.count) {
                insert(places[Int(chunk) &* Self.chunkPlaces &+ place])
            }
            giveBack(chunk)
            chunk = head.next
        }
    }

    @inlinable
    func header(of chunk: Int32) -> UnsafeMutablePointer<ChunkHeader> {
        UnsafeMutableRawPointer(places + Int(chunk) &* Self.chunkPlaces)
            .assumingMemoryBound(to: ChunkHeader.self)
    }

    /// Takes the chunks out of a slot and marks it empty.
    @inlinable
    mutating func detach(_ slot: Int) -> Int32 {
        let chunk = slots[slot].chunk
        slots[slot] = Slot()
        let level = slot / Self.slotsPerLevel
        occupied[level] &= ~(1 &<< UInt64(slot % Self.slotsPerLevel))
        if occupied[level] == 0 { occupiedLevels &= ~(1 &<< UInt32(level)) }
        return chunk
    }

    @inlinable
    mutating func giveBack(_ chunk: Int32) {
        header(of: chunk).pointee.next = freeChunk
        freeChunk = chunk
    }

    @inlinable
    @inline(never)
    mutating func takeChunk() -> Int32 {
        if freeChunk >= 0 {
            let chunk = freeChunk
            freeChunk = header(of: chunk).pointee.next
            return chunk
        }
        if chunkCount == chunkCapacity {
            let larger = UnsafeMutablePointer<Entry>.allocate(
                capacity: Int(chunkCapacity) * 2 * Self.chunkPlaces)
            UnsafeMutableRawPointer(larger).copyMemory(
                from: places, byteCount: Int(chunkCapacity) * Self.chunkPlaces * MemoryLayout<Entry>.stride)
            places.deallocate()
            places = larger
            chunkCapacity *= 2
        }
        chunkCount += 1
        return chunkCount - 1
    }
}
