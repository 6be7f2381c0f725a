/// The PIR servers of one region, as far as evaluation keys are concerned.
package struct KeyServers: Sendable {
    package var store: KeyStoreKind
    package var instances: Int
    /// Keys that fit into the memory of one instance, beside its database; `nil`: not looked at.
    package var capacity: Int?

    package init(store: KeyStoreKind = .memory, instances: Int = 1, capacity: Int? = nil) {
        precondition(instances >= 1, "a region has at least one PIR server")
        precondition(capacity ?? 1 >= 1, "a server without room for a key serves nobody")
        self.store = store
        self.instances = instances
        self.capacity = capacity
    }
}

extension ServiceConfiguration {
    /// The PIR servers of each region.
    ///
    /// - Parameter profile: Says what database and keys take in memory.
    package func keyServers(_ profile: CostProfile) -> [KeyServers] {
        byRegion(.pir).map { station in
            let capacity = station.memory.map {
                max(1, ($0 - profile.subject.allBytes) / max(profile.evaluationKeyBytes, 1))
            }
            return KeyServers(store: station.keyStore, instances: station.lineCount, capacity: capacity)
        }
    }
}

/// Whose evaluation key is where: at which server, in which store, and in whose memory.
struct KeyStores {
    private let deviceCount: Int
    private let regions: [KeyServers]
    /// By region, then store: the number of each device's key, 0 for none; empty while nobody has one.
    private var numbers: [[[Int16]]]
    /// By region, then instance; empty where memory is not looked at.
    private var memories: [[KeyMemory]]

    init(_ regions: [KeyServers], deviceCount: Int) {
        self.regions = regions
        self.deviceCount = deviceCount
        numbers = regions.map { Array(repeating: [], count: $0.store == .shared ? 1 : $0.instances) }
        memories = regions.map { region in
            region.capacity.map {
                Array(repeating: KeyMemory(capacity: min($0, deviceCount)), count: region.instances)
            } ?? []
        }
    }

    private func store(of server: ServerPlace) -> Int {
        regions[server.region].store == .shared ? 0 : server.instance
    }

    /// Number of the key that a server has, or can read, of a device; 0 for none.
    func number(of device: Int, at server: ServerPlace) -> Int16 {
        let numbers = numbers[server.region][store(of: server)]
        return numbers.isEmpty ? 0 : numbers[device]
    }

    mutating func insert(_ number: Int16, of device: Int, at server: ServerPlace) {
        guard regions[server.region].store == .copied else {
            return insertThere(number, of: device, at: server)
        }
        // One that is away gets it as well; it begins with an empty memory.
        for instance in 0..<regions[server.region].instances {
            insertThere(number, of: device, at: ServerPlace(region: server.region, instance: instance))
        }
    }

    private mutating func insertThere(_ number: Int16, of device: Int, at server: ServerPlace) {
        let store = store(of: server)
        if numbers[server.region][store].isEmpty {
            numbers[server.region][store] = Array(repeating: 0, count: deviceCount)
        }
        numbers[server.region][store][device] = number
        _ = use(device, at: server)
    }

    /// A server works with a device's key.
    ///
    /// - Returns: Whether it had to be read from the store.
    mutating func use(_ device: Int, at server: ServerPlace) -> Bool {
        guard !memories[server.region].isEmpty else { return false }
        let (isNew, dropped) = memories[server.region][server.instance].use(device)
        // What is kept in memory only is gone.
        if let dropped, regions[server.region].store.isLostByRestart {
            numbers[server.region][store(of: server)][dropped] = 0
        }
        return isNew
    }

    /// - Parameter instances: `nil` for all.
    mutating func restart(region: Int, instances: Range<Int>?) {
        let instances = (instances ?? 0..<regions[region].instances).clamped(
            to: 0..<regions[region].instances)
        for instance in instances {
            if regions[region].store.isLostByRestart { numbers[region][instance] = [] }
            if !memories[region].isEmpty { memories[region][instance].removeAll() }
        }
    }

    /// Most keys in the memory of one instance at any time, and keys that made room for others; `nil` where memory is
    /// not looked at.
    var usage: (peak: Int, evictions: Int)? {
        let all = memories.joined()
        guard let peak = all.lazy.map(\.peak).max() else { return nil }
        return (peak, all.reduce(0) { $0 + $1.evictions })
    }
}

/// Evaluation keys in the memory of one server. Who was not used for longest makes room.
package struct KeyMemory {
    private let capacity: Int
    /// Place of each device's key.
    private var places: [Int32: Int32] = [:]
    private var devices: [Int32] = []
    /// Neighbours in the order of use. Place 0 stands between the last one and the first.
    private var newer: [Int32] = [0]
    private var older: [Int32] = [0]
    package private(set) var peak = 0
    package private(set) var evictions = 0

    package init(capacity: Int) { self.capacity = max(capacity, 1) }

    /// - Returns: Whether the key was not there, and the device whose key made room for it.
    package mutating func use(_ device: Int) -> (isNew: Bool, dropped: Int?) {
        let device = Int32(device)
        if let place = places[device] {
            unlink(place)
            link(place)
            return (false, nil)
        }
        var dropped: Int?
        let place: Int32
        if places.count == capacity {
            place = newer[0]
            unlink(place)
            let last = devices[Int(place) - 1]
            places[last] = nil
            devices[Int(place) - 1] = device
            dropped = Int(last)
            evictions += 1
        } else {
            devices.append(device)
            newer.append(0)
            older.append(0)
            place = Int32(devices.count)
        }
        places[device] = place
        link(place)
        peak = max(peak, places.count)
        return (true, dropped)
    }

    package mutating func removeAll() {
        places = [:]
        devices = []
        newer = [0]
        older = [0]
    }

    private mutating func unlink(_ place: Int32) {
        newer[Int(older[Int(place)])] = newer[Int(place)]
        older[Int(newer[Int(place)])] = older[Int(place)]
    }

    /// Makes it the newest.
    private mutating func link(_ place: Int32) {
        older[Int(place)] = older[0]
        newer[Int(place)] = 0
        newer[Int(older[0])] = place
        older[0] = place
    }
}
