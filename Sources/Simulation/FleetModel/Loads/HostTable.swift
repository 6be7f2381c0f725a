/// Result of the prefilter for the strings made of one host.
struct HostOutcome: BitwiseCopyable {
    /// Bytes of the name.
    var length: Int32
    /// -1: URLs of this host have to be tested one by one; those of a host, too, that an entry means that cannot match.
    var hostClass: Int32
    /// Position of its keys among those of all hosts.
    var firstKey: Int32
    var keyCount: Int32

    static var untested: HostOutcome { HostOutcome(length: 0, hostClass: -1, firstKey: 0, keyCount: 0) }
}

struct KnownHost: BitwiseCopyable {
    var key: UInt64
    var outcome: HostOutcome

    static var nobody: KnownHost {
        KnownHost(key: .max, outcome: .untested)
    }
}

/// The outcomes of hosts by key: open addressing, never more than half full.
struct HostTable {
    private var places = Array(repeating: KnownHost.nobody, count: 1 << 8)
    private var used = 0

    subscript(key: UInt64) -> HostOutcome? {
        let mask = places.count - 1
        var place = place(of: key)
        while places[place].key != key {
            if places[place].key == .max { return nil }
            place = (place + 1) & mask
        }
        return places[place].outcome
    }

    /// - Precondition: The key is new.
    mutating func insert(_ key: UInt64, _ outcome: HostOutcome) {
        if used * 2 >= places.count {
            let old = places.filter { $0.key != .max }
            places = Array(repeating: .nobody, count: places.count * 4)
            used = 0
            for host in old { insert(host.key, host.outcome) }
        }
        var place = place(of: key)
        while places[place].key != .max { place = (place + 1) & (places.count - 1) }
        places[place] = KnownHost(key: key, outcome: outcome)
        used += 1
    }

    private func place(of key: UInt64) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & (places.count - 1)
    }
}
