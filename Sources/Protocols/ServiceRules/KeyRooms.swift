/// Names of keys in a room of bounded size, where those that were uploaded first make room. The simulated servers hold
/// it, and the store of a real server without a file.
package struct UploadRoom<Name: Hashable & Sendable>: Sendable {
    private struct Place {
        /// Number of the upload.
        var number: UInt32
        var size: Int32
    }

    private let capacity: Int
    private var places: [Name: Place] = [:]
    /// Uploads in their order, those that were replaced included.
    private var uploads: [(name: Name, number: UInt32)] = []
    private var oldest = 0
    private var lastNumber: UInt32 = 0
    package private(set) var size = 0

    /// - Parameter capacity: Size of all names. A single larger one stays.
    package init(capacity: Int) { self.capacity = capacity }

    package var count: Int { places.count }

    package func contains(_ name: Name) -> Bool { places[name] != nil }

    /// Puts a name in, as the newest.
    ///
    /// - Returns: Names that had to go.
    package mutating func insert(_ name: Name, size added: Int = 1) -> [Name] {
        lastNumber &+= 1
        let place = Place(number: lastNumber, size: Int32(clamping: added))
        let before = places.updateValue(place, forKey: name)
        size += Int(place.size) - Int(before?.size ?? 0)
        uploads.append((name, lastNumber))
        var gone: [Name] = []
        while size > capacity, places.count > 1 {
            let (name, number) = uploads[oldest]
            oldest += 1
            guard let place = places[name], place.number == number else { continue }
            places[name] = nil
            size -= Int(place.size)
            gone.append(name)
        }
        if uploads.count > 2 * places.count + 64 { forgetReplaced() }
        return gone
    }

    package mutating func removeAll() { self = Self(capacity: capacity) }

    private mutating func forgetReplaced() {
        uploads = uploads[oldest...].filter { places[$0.name]?.number == $0.number }
        oldest = 0
    }
}

/// Names of keys in a room of bounded size, where those that were not used lately make room, by the clock rule: a hand
/// goes round, and the first name that was not used since it came by has to go. The simulated servers hold it and the
/// cache of the real ones.
package struct ClockRoom<Name: Hashable & Sendable>: Sendable {
    private struct Entry {
        var name: Name
        var size: Int32
        var wasUsed = true
    }

    private let capacity: Int
    private var places: [Name: Int32] = [:]
    private var entries: [Entry] = []
    private var hand = 0
    package private(set) var size = 0

    /// - Parameter capacity: Size of all names. A single larger one stays.
    package init(capacity: Int) { self.capacity = capacity }

    package var count: Int { entries.count }

    /// Notes that a name is used.
    ///
    /// - Returns: Whether it is there.
    package mutating func use(_ name: Name) -> Bool {
        guard let place = places[name] else { return false }
        entries[Int(place)].wasUsed = true
        return true
    }

    /// Puts a name in, as one that is used; what there was of it is replaced.
    ///
    /// - Returns: Names that had to go.
    package mutating func insert(_ name: Name, size added: Int = 1) -> [Name] {
        remove(name)
        let entry = Entry(name: name, size: Int32(clamping: added))
        var gone: [Name] = []
        while !entries.isEmpty, size + Int(entry.size) > capacity { gone.append(removeUnused()) }
        places[name] = Int32(entries.count)
        entries.append(entry)
        size += Int(entry.size)
        return gone
    }

    package mutating func remove(_ name: Name) {
        if let place = places[name] { remove(at: Int(place)) }
    }

    package mutating func removeAll() { self = Self(capacity: capacity) }

    private mutating func removeUnused() -> Name {
        while true {
            if hand >= entries.count { hand = 0 }
            let entry = entries[hand]
            if !entry.wasUsed {
                remove(at: hand)
                return entry.name
            }
            entries[hand].wasUsed = false
            hand += 1
        }
    }

    /// The last entry takes the place of the removed one.
    private mutating func remove(at place: Int) {
        size -= Int(entries[place].size)
        places[entries[place].name] = nil
        let last = entries.removeLast()
        guard place < entries.count else { return }
        entries[place] = last
        places[last.name] = Int32(place)
    }
}
