import ServiceRules
import URLFilter

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
    /// Number of each device's key by region, then store; 0 for none, empty while nobody has one.
    private var numbers: [[[Int16]]]
    /// Memories by region, then instance; empty where memory is not looked at.
    private var memories: [[KeyMemory]]

    init(_ regions: [KeyServers], deviceCount: Int) {
        self.regions = regions
        self.deviceCount = deviceCount
        numbers = regions.map { Array(repeating: [], count: $0.store == .shared ? 1 : $0.instances) }
        memories = regions.map { region in
            region.capacity.map {
                Array(
                    repeating: KeyMemory(of: region.store, capacity: min($0, deviceCount)),
                    count: region.instances)
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
        if !memories[server.region].isEmpty { load(device, at: server) }
    }

    /// A server reads a key that is in its memory or store.
    ///
    /// - Returns: Whether it had to be read from the store.
    mutating func use(_ device: Int, at server: ServerPlace) -> Bool {
        guard !memories[server.region].isEmpty,
            !memories[server.region][server.instance].use(device)
        else { return false }
        load(device, at: server)
        return true
    }

    /// A server looks whether there is a key, which is a use of it if it is in memory.
    mutating func look(for device: Int, at server: ServerPlace) -> Int16 {
        if !memories[server.region].isEmpty { _ = memories[server.region][server.instance].use(device) }
        return number(of: device, at: server)
    }

    /// Takes a key into the memory of a server that did not have it, or had another of the same device.
    private mutating func load(_ device: Int, at server: ServerPlace) {
        let gone = memories[server.region][server.instance].insert(device)
        // What is kept in memory only is gone.
        guard regions[server.region].store.isLostByRestart else { return }
        for other in gone { numbers[server.region][store(of: server)][Int(other)] = 0 }
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

/// Evaluation keys in the memory of one server, and who makes room: by the rules of our own server's stores.
package struct KeyMemory {
    /// Keys that are nowhere else.
    private var uploads: UploadRoom<Int32>?
    /// Keys that a store has as well.
    private var recent: ClockRoom<Int32>?
    package private(set) var peak = 0
    package private(set) var evictions = 0

    package init(of store: KeyStoreKind, capacity: Int) {
        if store.isLostByRestart {
            uploads = UploadRoom(capacity: max(capacity, 1))
        } else {
            recent = ClockRoom(capacity: max(capacity, 1))
        }
    }

    private var count: Int { uploads?.count ?? recent?.count ?? 0 }

    /// A device has uploaded its key.
    ///
    /// - Returns: The devices whose keys made room for it.
    package mutating func insert(_ device: Int) -> [Int32] {
        let device = Int32(device)
        let gone = uploads?.insert(device) ?? recent?.insert(device) ?? []
        evictions += gone.count
        peak = max(peak, count)
        return gone
    }

    /// Notes that a device's key is used, if it is here.
    package mutating func use(_ device: Int) -> Bool {
        let device = Int32(device)
        return uploads?.contains(device) ?? recent?.use(device) ?? false
    }

    package mutating func removeAll() {
        uploads?.removeAll()
        recent?.removeAll()
    }
}
