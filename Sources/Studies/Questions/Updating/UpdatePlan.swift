package import Experiment

/// Demands of a list's next edition on servers and devices, before it is published.
package struct UpdatePlan: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.plan-update/2"

    package struct Edition: Codable, Equatable, Sendable {
        package var file: String
        package var entries: Int
        /// Bits, hashes and bytes of the prefilter.
        package var bitCount: UInt32
        package var hashCount: UInt32
        package var prefilterBytes: Int
    }

    /// Time that the tool of another server takes for all shards, on one core.
    package struct OtherTool: Codable, Equatable, Sendable {
        package var name: String
        package var version: String
        /// Our time by the ratio that was measured, and at least and at most.
        package var cpuSeconds: Double
        package var least: Double
        package var most: Double
        /// Its peak of memory over ours, at least and at most.
        package var memoryRatio: [Double]?
    }

    /// Bytes of one device.
    package struct Device: Codable, Equatable, Sendable {
        package var prefilter: Int
        /// A fetch that finds nothing new.
        package var unchanged: Int
        /// 0 where the parameters stay.
        package var configuration: Int
        package var evaluationKey: Int
    }

    /// All devices of the scenario together.
    package struct Fleet: Codable, Equatable, Sendable {
        package var devices: Int
        package var downloadBytes: Double
        package var uploadBytes: Double
        /// Price of this edition's bytes.
        package var money: Double
        package var currency: String
    }

    /// Memory of one PIR server, without evaluation keys; bytes.
    package struct Memory: Codable, Equatable, Sendable {
        package var before: Double
        package var after: Double
        /// The new database is loaded before the old one is dropped.
        package var whileLoading: Double
    }

    package var schema = Self.schema
    package var old: Edition
    package var new: Edition
    package var added: Int
    package var removed: Int
    package var before: EditionProcessor.Outcome
    /// Outcome with `pir process --update`; absent if it refuses, and then why.
    package var update: EditionProcessor.Outcome?
    package var refusal: String?
    /// All shards made anew.
    package var anew: EditionProcessor.Outcome
    /// How the part that was processed was chosen; absent for the whole.
    package var sample: String?
    package var otherTools: [OtherTool]
    package var device: Device
    package var fleet: Fleet?
    package var memory: Memory
    package var repairs: [EntryRepair]
    /// Share of the devices that take the new prefilter in an hour, and seconds for which a device remembers an answer.
    package var fetchedPerHour: Double
    package var answersKept: Double
    package var risks: [String]

    /// Devices keep their configuration and their keys.
    package var keepsParameters: Bool { update != nil }
    /// The way that leaves devices alone, if there is one.
    package var chosen: EditionProcessor.Outcome { update ?? anew }
    package var voidsKeys: Bool { chosen.evaluationKeyID != before.evaluationKeyID }
}
