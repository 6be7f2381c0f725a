import Decoding
import FleetModel
import Scenarios

/// Data that the PIR servers of one place keep, and where: the one rule by which `bloom tune`, `alternatives` and
/// plans of servers price database and evaluation keys.
package struct PIRStock: Hashable, Sendable {
    /// One copy of all shards.
    package var databaseBytes: Double
    /// Evaluation keys of all devices that may ask there.
    package var keyBytes: Double
    package var place: KeyPlace

    package init(databaseBytes: Double, keyBytes: Double, place: KeyPlace) {
        self.databaseBytes = databaseBytes
        self.keyBytes = keyBytes
        self.place = place
    }

    /// The old database and the new one while an edition is loaded.
    private var databases: Double { 2 * databaseBytes }

    /// Bytes in the memory of each instance, so many of which may fail.
    package func memory(instances: Int, spare: Int) -> Double {
        switch place {
        case .stored: databases
        case .memoryOfAllUsers: databases + keyBytes
        case .memoryOfOwnUsers: databases + keyBytes / Double(max(1, instances - spare))
        }
    }

    /// Bytes beside the servers, of so many devices' keys.
    package func storage(keyBytes: Double) -> Double { place == .stored ? keyBytes : 0 }

    /// Instances between which everything fits into the memory that each may have; `nil`: no number is enough.
    func fewestInstances(memory most: Double, spare: Int) -> Int? {
        let left = most - databases
        switch place {
        case .stored: return left >= 0 ? 1 : nil
        case .memoryOfAllUsers: return left >= keyBytes ? 1 : nil
        case .memoryOfOwnUsers:
            guard left > 0, keyBytes / left < 1e6 else { return nil }
            return max(1, Int(saturating: (keyBytes / left * (1 - 1e-12)).rounded(.up))) + spare
        }
    }
}

extension Machines {
    /// The servers of a URL filter in one place: of each service enough for its peak and the spare ones.
    ///
    /// - Parameter peakCores: Busy cores of each service in the busiest interval, and the cores of one of its
    ///   instances.
    static func ofURLFilter(
        _ peakCores: [(service: Part, busy: Double, coresPerInstance: Int)], stock: PIRStock, prices: Prices
    ) -> [Machines] {
        peakCores.map { service, busy, cores in
            var machines = Machines(
                service: service, peakCores: busy, coresPerInstance: cores, memoryPerInstance: 0,
                prices: prices)
            if service == .pir {
                machines.memoryPerInstance = stock.memory(
                    instances: machines.instances, spare: prices.spareInstances)
            }
            return machines
        }
    }
}
