import Crypto
import Decoding
package import FleetModel
import Foundation
package import Measurement
import Parties
import PrivateInformationRetrieval
import RandomStreams
package import Scenarios
import Statistics
import Timing
import URLFilter
package import Workload

/// A database whose cost profile is wanted.
package struct ProfileSubject: Sendable {
    let list: BlockList
    let rlweParameters: String
    let shardCount: Int?

    /// - Parameter shardCount: A power of two; `nil` chooses about 50 000 entries per shard.
    package init(_ list: BlockList, rlweParameters: String, shardCount: Int?) {
        self.list = list
        self.rlweParameters = rlweParameters
        self.shardCount = shardCount
    }

    var shards: Int {
        get throws { try PIRDatabase.sharding(shardCount: shardCount).shardCount(rowCount: list.count) }
    }
}

/// The store of measured cost profiles, so that runs of one scenario are charged alike.
package enum ProfileCache {
    /// Larger files are refused unread; a profile is some 20 kB.
    private static let maximumByteCount = 16 << 20

    /// - Returns: A profile that fits the scenario, and its file.
    package static func profile(
        _ scenario: Scenario, list: BlockList, options: Preparation.Options,
        progress: @Sendable (String) -> Void
    ) throws -> (CostProfile, path: String) {
        try profile(
            of: ProfileSubject(
                list, rlweParameters: scenario.pir.rlweParameters, shardCount: scenario.pir.shards),
            file: options.profile ?? scenario.pir.profile ?? options.keptProfiles, progress: progress)
    }

    /// Reads the profile of a list and a parameter set, or measures it once and keeps it.
    ///
    /// A file of the user that cannot be used is an error. One in the cache is measured again: it was cut short, or
    /// another version of this program wrote it.
    ///
    /// - Parameters:
    ///   - file: Read if it exists, else written; `nil` for a file in the cache. A folder has a file for each database,
    ///     and gets what it lacks from the cache.
    ///   - largestNoise: What has more is measured again, and not kept in the cache if that is of no use.
    package static func profile(
        of subject: ProfileSubject, file: String?, cache: String = folderOfUser,
        largestNoise: Double = CostProfile.largestNoise, progress: @Sendable (String) -> Void
    ) throws -> (CostProfile, path: String) {
        let cached = try cachedPath(of: subject, in: cache)
        func known(at path: String, isCache: Bool = false) throws -> CostProfile {
            if FileManager.default.fileExists(atPath: path) {
                do {
                    let profile = try read(path)
                    try check(profile, of: subject, path: path)
                    guard !isCache || profile.followerShare != nil && profile.keysAsBytes != nil else {
                        throw ProfileError.unreadable(path, "an older version measured less")
                    }
                    return profile
                } catch let error as ProfileError where isCache {
                    progress("\(error); measuring it again")
                }
            }
            progress("measuring the real cryptography on this machine")
            return try measure(
                subject, writingTo: path, isCache: isCache, largestNoise: largestNoise, progress: progress)
        }
        guard let file else { return (try known(at: cached, isCache: true), cached) }
        guard isFolder(file) else { return (try known(at: file), file) }
        let slash = file.hasSuffix("/") ? "" : "/"
        let name = "\(subject.rlweParameters)-\(try subject.shards)-shards-\(subject.list.count)-entries"
        let own = "\(file)\(slash)\(name).json"
        if !FileManager.default.fileExists(atPath: own) {
            try makeFolder(of: own)
            try write(known(at: cached, isCache: true), to: own)
        }
        return (try known(at: own), own)
    }

    /// Measures the profile of a list and a parameter set, and keeps it where `run` looks for it.
    ///
    /// - Parameter file: As for ``profile(of:file:cache:largestNoise:progress:)``; an existing one is replaced.
    package static func measuredAgain(
        for subject: ProfileSubject, file: String?, speed: SpeedWatch? = nil,
        progress: @Sendable (String) -> Void = { _ in }
    ) throws -> (CostProfile, path: String) {
        let path = try file ?? cachedPath(of: subject, in: folderOfUser)
        return (
            try measure(subject, speed: speed, writingTo: path, isCache: false, progress: progress), path
        )
    }

    /// Attempts before a noisy profile is taken as it is.
    private static let attempts = 3

    /// - Parameter isCache: A noisy profile is used and not kept, so that the next run measures again.
    private static func measure(
        _ subject: ProfileSubject, speed: SpeedWatch? = nil, writingTo path: String, isCache: Bool,
        largestNoise: Double = CostProfile.largestNoise, progress: @Sendable (String) -> Void
    ) throws -> CostProfile {
        // Before the measurement, so that nobody waits for what cannot be kept.
        try makeFolder(of: path)
        func measured() throws -> CostProfile {
            try CostProfiler.measure(
                entries: subject.list, rlweParameters: subject.rlweParameters, shardCount: subject.shardCount)
        }
        var profile = try measured()
        func isNoisy() -> Bool { profile.noise.map { $0 > largestNoise } ?? false }
        for _ in 1..<attempts where isNoisy() {
            progress("other work disturbs the measurement; measuring again")
            let next = try measured()
            if next.noise ?? 0 < profile.noise ?? 0 { profile = next }
        }
        if let speed {
            let watched = try CostProfiler.speed(
                entries: subject.list, rlweParameters: subject.rlweParameters,
                shardCount: subject.shardCount, speed, progress: progress)
            profile.speed = watched.phases
            profile.calibrations = watched.calibrations
        }
        // The ports are measured by another command, and levels of other days at other times.
        if let old = try? read(path), old.machine == profile.machine, old.subject == profile.subject {
            profile = profile.withHistory(of: old)
        }
        if isCache, isNoisy() { return profile }
        try write(profile, to: path)
        return profile
    }

    private static func makeFolder(of path: String) throws(InputError) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .unwritable(path: path, reason: "its folder cannot be made")
        }
    }

    /// Whether a path is that of profiles of several databases: it ends with a slash, or is there as a folder.
    static func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return path.hasSuffix("/")
            || FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
                && isDirectory.boolValue
    }

    /// Replaces the file.
    package static func write(_ profile: CostProfile, to path: String) throws {
        let text = try JSONText.render(profile)
        try AtomicFile.write(to: path) { try $0.write(text) }
    }

    /// The costs depend on the parameters, the number of shards and, within a tenth, the size of a shard.
    private static func check(
        _ profile: CostProfile, of wanted: ProfileSubject, path: String
    ) throws {
        let (subject, rlweParameters) = (profile.subject, wanted.rlweParameters)
        let (shards, entries) = (try wanted.shards, wanted.list.count)
        let expected = Double(entries) / Double(shards)
        // Entries fall into shards by a hash, so the number in one of them varies.
        let slack = max(expected / 10, 5 * expected.squareRoot())
        guard subject.rlweParameters == rlweParameters, subject.shards == shards,
            abs(Double(subject.entries) - expected) <= slack
        else {
            func sentence(_ parameters: String, _ shards: Int, _ entries: Int) -> String {
                "\(parameters), \(shards) shards of about \(entries) entries"
            }
            throw ProfileError.otherSubject(
                path, found: sentence(subject.rlweParameters, subject.shards, subject.entries),
                needed: sentence(rlweParameters, shards, entries / shards),
                measured: "--rlwe-parameters \(rlweParameters) --shards \(shards)")
        }
    }

    static func read(_ path: String) throws -> CostProfile {
        guard let data = try? InputBytes.read(path, limit: maximumByteCount) else {
            throw ProfileError.unreadable(path, "it cannot be read")
        }
        guard data.count <= maximumByteCount else {
            throw ProfileError.unreadable(path, "it is larger than \(maximumByteCount) bytes")
        }
        let profile: CostProfile
        do {
            profile = try JSONReader.read(CostProfile.self, from: data)
        } catch let error as DecodingError {
            throw ProfileError.unreadable(path, error.sentence)
        }
        if let problem = profile.problem { throw ProfileError.unreadable(path, problem) }
        return profile
    }

    /// The cache of this user.
    package static var folderOfUser: String {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"] ?? FileManager.default.temporaryDirectory.path
        let cache = environment["XDG_CACHE_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home + "/.cache"
        return "\(cache)/urlfilter"
    }

    /// One file per machine, build of this program and database shape.
    private static func cachedPath(of subject: ProfileSubject, in folder: String) throws -> String {
        let words = "\(CostProfile.schema) \(Machine.current) \(subject.rlweParameters)"
        let key = "\(words) \(try subject.shards) \(subject.list.count)"
        let name = SHA256.hash(data: Data(key.utf8)).prefix(8).hexadecimal
        return "\(folder)/profile-\(name).json"
    }
}

extension CostProfile {
    /// Fault that the decoder cannot see; it has refused numbers that the model could not use.
    fileprivate var problem: String? {
        guard schema == Self.schema else { return "its schema is '\(schema)', not '\(Self.schema)'" }
        if let bytes = keysAsBytes?.evaluationKeyBytes, bytes < 0 {
            return "keysAsBytes.evaluationKeyBytes: \(bytes) is negative"
        }
        if let share = followerShare, !(0...1).contains(share) {
            return "followerShare: \(share) is outside the allowed range 0...1"
        }
        if let speed,
            !(0...1).contains(speed.spread) || !(0...1).contains(speed.daily) || speed.time <= 0
        {
            return "speed: spread and daily must be in 0...1, and time must be above 0"
        }
        if let levels = calibrations, !levels.allSatisfy({ abs($0.level) < 30 && abs($0.time) < 1e12 }) {
            return "calibrations: a level is beyond 30 either way, or a time beyond 1e12"
        }
        return Endpoint.ofLookups.first { self[$0] == nil }.map { "it has no endpoint '\($0.rawValue)'" }
    }
}
