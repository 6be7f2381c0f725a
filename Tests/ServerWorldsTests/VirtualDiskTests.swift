import HomomorphicEncryption
import LiveStack
import ObliviousHTTP
import PrivacyPass
import PrivateInformationRetrieval
import ServerWorlds
import TestSupport
import Testing

/// The disk of worlds beside the SQLite file of servers: the same changes, restarts included, and the same content.
struct VirtualDiskTests {
    private static let users = ["a", "b", "c"]
    private static let day: Int64 = 20_000

    private static func change(_ random: inout SplitMix) -> StateChange {
        let user = users[random.below(users.count)]
        return switch random.below(4) {
        case 0:
            .spent(
                nonce: TokenNonce((0..<32).map { _ in UInt8(random.below(256)) }),
                keyID: Array(repeating: UInt8(random.below(2)), count: 32))
        case 1: .issued(userHash: Array(user.utf8), day: day + Int64(random.below(3)))
        default:
            .evaluationKey(
                EvaluationKeyName(user: user, identifier: [UInt8(random.below(2))]),
                StoredEvaluationKey(
                    timestamp: UInt64(1 + random.below(1_000)), key: nil,
                    message: Array(repeating: 7, count: 1 + random.below(400))))
        }
    }

    private static func spent(_ database: any StateDatabase) throws -> [String] {
        try database.spentTokens().map { "\($0.keyID) \($0.nonce.bytes)" }.sorted()
    }

    private static func compare(_ left: any StateDatabase, _ right: any StateDatabase) throws {
        #expect(try spent(left) == spent(right))
        #expect(try left.evaluationKeyCount() == right.evaluationKeyCount())
        for user in users {
            for identifier in UInt8(0)...1 {
                let name = EvaluationKeyName(user: user, identifier: [identifier])
                #expect(try left.timestamp(of: name) == right.timestamp(of: name))
                let (one, other) = (try left.evaluationKey(name), try right.evaluationKey(name))
                #expect(one?.timestamp == other?.timestamp && one?.message == other?.message)
            }
            for day in day - 1...day + 3 {
                let hash = Array(user.utf8)
                #expect(
                    try left.issuedCount(userHash: hash, day: day)
                        == right.issuedCount(userHash: hash, day: day))
            }
        }
    }

    @Test(arguments: 1...3) func keepsWhatAFileKeeps(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path + "/state.sqlite"
        let disk = EmptyDisk()
        var random = SplitMix(seed: seed)
        for _ in 0..<4 {
            let (file, virtual): (any StateDatabase, any StateDatabase) = (
                try SQLiteDatabase(path: path), disk.open()
            )
            for _ in 0..<6 {
                let changes = (0...random.below(5)).map { _ in Self.change(&random) }
                let dropped = try file.write(changes, keyCapacity: 900)
                #expect(try dropped == virtual.write(changes, keyCapacity: 900))
            }
            try Self.compare(file, virtual)
            file.close()
            virtual.close()
        }
    }

    @Test func keepsTheKeysOfAGatewayUntilTheyAreTaken() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let disk = EmptyDisk()
        var ages: [[Int64]] = []
        for database in [
            try SQLiteDatabase(path: folder.path + "/state.sqlite") as any StateDatabase, disk.open(),
        ] {
            let key = GatewayKeys.Stored(
                key: try OHTTPKeyPair(keyID: 3), age: 5_400_000_000, isPublished: true,
                marks: Array(repeating: 1, count: 32))
            try database.put([key], second: 1_000)
            let taken = try database.takeGatewayKeys(second: 1_060)
            #expect(taken.map(\.key.configuration.keyID) == [3])
            #expect(taken.map(\.marks) == [key.marks])
            #expect(try database.takeGatewayKeys(second: 1_060).isEmpty)
            ages.append(taken.map(\.age))
            database.close()
        }
        #expect(ages[0] == ages[1])
    }
}
