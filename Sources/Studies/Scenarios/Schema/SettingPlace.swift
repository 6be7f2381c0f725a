package import FleetModel

/// Places that are told by more than one name.
package enum SettingPlace {
    package static let everyDevice = Schema.devices.place(of: "*")

    /// - Parameter region: `nil`: what all regions have in common.
    package static func service(_ part: Part, region: String? = nil) -> String {
        service(named: part.name, region: region)
    }

    package static func service(named name: String, region: String? = nil) -> String {
        "services." + (region.map { "regions[\($0)]." } ?? "") + name
    }

    static func mechanism(_ choice: ArchitectureChoice) -> String { "mechanisms.\(choice.rawValue)" }
}

/// Paths and changes that programs write, made from the declared settings, so that a key that is renamed is renamed
/// here.
extension SettingGroup {
    /// - Parameter place: As in ``SettingGroup/places``, with names in its brackets; `nil` for the first.
    package func path<Value>(_ setting: KeyPath<Self, Setting<Value>>, in place: String? = nil) -> String {
        Schema.path(self[keyPath: setting].key, in: place ?? places[0])
    }

    /// A change as `--set` takes it.
    package func set<Value>(
        _ setting: KeyPath<Self, Setting<Value>>, _ value: some CustomStringConvertible,
        in place: String? = nil
    ) -> String {
        "\(path(setting, in: place))=\(value)"
    }
}

/// Settings that commands change.
extension Schema {
    package static let shouldFailClosed = filter.path(\.shouldFailClosed)
    package static let falsePositiveTolerance = filter.path(\.falsePositiveTolerance)
    package static let shards = pir.path(\.shards)
    package static let rlweParameters = pir.path(\.rlweParameters)

    /// How many servers of a kind there are, and how large each is.
    package static func servers(of part: Part) -> [String] {
        let place = SettingPlace.service(part)
        return [station.path(\.instances, in: place), station.path(\.cores, in: place)]
    }

    package static func confidence(_ share: Double) -> String { replications.set(\.confidence, share) }

    /// So many replications, however wide the intervals are.
    package static func exactly(_ count: Int) -> [String] {
        [
            replications.set(\.min, count), replications.set(\.max, count),
            replications.set(\.precision, "null"),
        ]
    }

    /// All devices have the system.
    package static func system(_ name: String) -> String {
        devices.set(\.os, name, in: SettingPlace.everyDevice)
    }

    /// A service with so many instances, which do not follow the load.
    package static func station(_ part: Part, region: String? = nil, instances: Int, cores: Int) -> [String] {
        let place = SettingPlace.service(part, region: region)
        return [
            station.set(\.instances, instances, in: place), station.set(\.cores, cores, in: place),
            "\(place).scaling=null",
        ]
    }

    /// Instances of a service that never stand still.
    package static func withoutPauses(_ place: String) -> String { station.set(\.pauses, "none", in: place) }

    /// Servers of a mechanism.
    package static func instances(of choice: ArchitectureChoice) -> String {
        server.path(\.instances, in: SettingPlace.mechanism(choice))
    }
}
