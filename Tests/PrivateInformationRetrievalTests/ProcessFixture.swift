import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import TestSupport
import Testing

/// A directory of its own for a test, with a configuration whose files lie in it.
struct ProcessFixture {
    let directory: String
    var configuration: ProcessConfiguration

    /// - Parameter body: The directory is removed after it.
    static func run(_ body: (inout ProcessFixture) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = ProcessConfiguration(
            inputDatabase: folder.path + "/in.txtpb", outputDatabase: folder.path + "/out-SHARD_ID.bin",
            outputPirParameters: folder.path + "/out-SHARD_ID.params.txtpb",
            encryption: try EncryptionParameters(named: "insecure_n_512_logq_4x60_logt_20"))
        configuration.sharding = try Sharding(.entryCountPerShard(100))
        configuration.cuckooTable.maxSerializedBucketSize = 120
        var fixture = ProcessFixture(directory: folder.path, configuration: configuration)
        try body(&fixture)
    }

    /// The same configuration with its output files in another directory.
    func configuration(in name: String) throws -> ProcessConfiguration {
        try FileManager.default.createDirectory(
            atPath: directory + "/" + name, withIntermediateDirectories: true)
        var other = configuration
        other.outputDatabase = directory + "/\(name)/out-SHARD_ID.bin"
        other.outputPirParameters = directory + "/\(name)/out-SHARD_ID.params.txtpb"
        return other
    }

    /// Contents by name; directories are left out.
    func files(in name: String = "") throws -> [String: Data] {
        let folder = directory + "/" + name
        return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: [:]) { files, name in
            files[name] = FileManager.default.contents(atPath: folder + "/" + name)
        }
    }

    static func rows(_ numbers: some Sequence<Int>, value: UInt8 = 0x31) throws -> KeywordRows {
        try KeywordRows(numbers.map { (Array("host\($0).example/path".utf8), [value]) })
    }
}

extension ProcessConfiguration {
    /// Id of the configuration that a server of these files announces.
    func configurationID(shardCount: Int) throws -> [UInt8] {
        try usecase(shardCount: shardCount).configurationID
    }

    func usecase(shardCount: Int) throws -> PIRUsecase {
        try PIRUsecase(
            name: "u", databasePath: outputDatabase, parametersPath: outputPirParameters,
            shardCount: shardCount)
    }

    /// What each shard's files say.
    func storedShards(_ count: Int) throws -> [StoredShard] {
        try (0..<count).map {
            try StoredShard(
                databasePath: Self.path(outputDatabase, shard: $0),
                parametersPath: Self.path(outputPirParameters, shard: $0))
        }
    }
}
