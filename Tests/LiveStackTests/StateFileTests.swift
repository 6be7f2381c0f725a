import Foundation
import GRDB
import LiveStack
import ObliviousHTTP
import Parties
import Testing

/// One server per state file, whatever the file is called, and what happens when somebody else touches it.
struct StateFileTests {
    private static func options(_ path: String) -> LiveStackOptions {
        var options = Fixture.options
        options.statePath = path
        return options
    }

    /// Why no server can start with this file.
    private static func refusal(_ path: String) async throws -> String? {
        do {
            try await Fixture.withStack(options(path)) { _ in }
            return nil
        } catch let error as LiveStackError {
            return error.description
        }
    }

    @Test(arguments: ["symbolic link", "hard link", "detour", "linked directory"])
    func noOtherNameLeadsASecondServerToTheFile(kind: String) async throws {
        try await Fixture.withStateFile { path in
            let files = FileManager.default
            let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
            try await Fixture.withStack(Self.options(path)) { _ async throws in
                let other: String
                switch kind {
                case "symbolic link":
                    other = directory + "/other.sqlite"
                    try files.createSymbolicLink(atPath: other, withDestinationPath: "state.sqlite")
                case "hard link":
                    other = directory + "/other.sqlite"
                    try files.linkItem(atPath: path, toPath: other)
                case "detour":
                    let name = URL(fileURLWithPath: directory).lastPathComponent
                    other = "\(directory)/./../\(name)/state.sqlite"
                default:
                    try files.createSymbolicLink(atPath: directory + "/here", withDestinationPath: ".")
                    other = directory + "/here/state.sqlite"
                }
                let refusal = try #require(try await Self.refusal(other))
                #expect(refusal.contains("another server uses it"))
            }
        }
    }

    /// The log of the last moments before a crash would stand beside the other name.
    @Test func aFileWithTwoNamesIsRefused() async throws {
        try await Fixture.withStateFile { path in
            try await Fixture.withStack(Self.options(path)) { _ in }
            try FileManager.default.linkItem(atPath: path, toPath: path + "-backup")
            for name in [path, path + "-backup"] {
                let refusal = try #require(try await Self.refusal(name))
                #expect(refusal.contains("it has 2 names (hard links)"))
            }
            try FileManager.default.removeItem(atPath: path + "-backup")
            #expect(try await Self.refusal(path) == nil)
        }
    }

    @Test func aSymbolicLinkIsAnotherNameForTheSameState() async throws {
        try await Fixture.withStateFile { path in
            try FileManager.default.createSymbolicLink(
                atPath: path + "-link", withDestinationPath: "state.sqlite")
            var device = try await Fixture.withStack(Self.options(path + "-link")) { stack async throws in
                var device = try TestDevice(directTo: stack.url)
                try await device.settle(tokens: 2)
                return device
            }
            let names = try FileManager.default.contentsOfDirectory(
                atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path)
            // Log and copies stand beside the file, not beside the link.
            #expect(
                Set(names).isSuperset(of: ["state.sqlite", "state.sqlite-link", "state.sqlite-versions"]))
            #expect(!names.contains { $0.hasPrefix("state.sqlite-link-") })
            try await Fixture.withStack(Self.options(path)) { stack async throws in
                device.moves(to: stack.url)
                #expect(try await device.look(up: ["blocked1.example"]) == [true])
            }
        }
    }

    @Test func afterAStopTheFileAloneIsAllOfTheState() async throws {
        try await Fixture.withStateFile { path in
            let spent = try await Fixture.withStack(Self.options(path)) { stack async throws in
                var device = try TestDevice(directTo: stack.url)
                try await device.settle(tokens: 1)
                _ = try await device.look(up: ["blocked1.example"])
                return try #require(device.lastRequest)
            }
            try FileManager.default.copyItem(atPath: path, toPath: path + "-copy")
            try await Fixture.withStack(Self.options(path + "-copy")) { stack async throws in
                #expect(try await Wire.send(spent, to: stack.url).status == 401)
                let page = String(decoding: try await Wire.get("/metrics", stack.url).content, as: UTF8.self)
                #expect(page.contains("urlfilter_spent_tokens 3\n"))
                #expect(page.contains("urlfilter_evaluation_keys 1\n"))
            }
        }
    }

    @Test func whatIsNoFileIsRefused() async throws {
        try await Fixture.withStateFile { path in
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            #expect(try await Self.refusal(path)?.contains("directory") == true)
            #expect(try await Self.refusal("/dev/null")?.contains("it is not a file") == true)
        }
    }

    /// What a server wrote into a file that is gone, the next one would not find.
    @Test(arguments: ["", "-wal"])
    func nothingIsAcknowledgedWhileTheFileIsGone(suffix: String) async throws {
        try await Fixture.withStateFile { path in
            try await Fixture.withStack(Self.options(path)) { stack async throws in
                var device = try TestDevice(directTo: stack.url)
                try await device.settle(tokens: 4)
                let files = FileManager.default
                try files.moveItem(atPath: path + suffix, toPath: path + ".moved")
                await #expect(throws: Refused.notStored) { try await device.look(up: ["blocked1.example"]) }
                // Another one in its place does not make it better.
                #expect(files.createFile(atPath: path + suffix, contents: nil))
                await #expect(throws: Refused.notStored) { try await device.look(up: ["blocked1.example"]) }
                // Tokens without a daily limit change nothing.
                try await device.fetchTokens(1)
                try files.removeItem(atPath: path + suffix)
                try files.moveItem(atPath: path + ".moved", toPath: path + suffix)
                #expect(try await device.look(up: ["blocked1.example"]) == [true])
            }
        }
    }

    @Test func aTokenThatCouldNotBeNotedDoesNotCountForTheDay() async throws {
        try await Fixture.withStateFile { path in
            var options = Self.options(path)
            options.tokensPerUserPerDay = 2
            try await Fixture.withStack(options) { stack async throws in
                var device = try TestDevice(directTo: stack.url)
                try await device.exchange { $0.directoryRequest() }
                try await device.exchange { $0.tokenKeyRequest() }
                try await device.fetchTokens(1)
                try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
                for _ in 0..<3 {
                    await #expect(throws: Refused.notStored) { try await device.fetchTokens(1) }
                }
                try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)
                try await device.fetchTokens(1)
                await #expect(throws: Refused.self) { try await device.fetchTokens(1) }
            }
        }
    }

    /// What cannot be read is neither nothing nor none.
    @Test func whatCannotBeReadIsUnknown() async throws {
        try await Fixture.withStateFile { path in
            var options = Self.options(path)
            options.tokensPerUserPerDay = 9
            for isReadable in [true, false] {
                try await Fixture.withStack(options) { stack async throws in
                    var device = try TestDevice(directTo: stack.url)
                    try await device.exchange { $0.directoryRequest() }
                    try await device.exchange { $0.tokenKeyRequest() }
                    if isReadable { return try await device.fetchTokens(9) }
                    let database = try DatabaseQueue(path: path)
                    // Can be counted up, and not be read.
                    try await database.write { try $0.execute(sql: "UPDATE issued SET count = 'many'") }
                    await #expect(throws: Refused.notReadable) { try await device.fetchTokens(1) }

                    var other = try TestDevice(number: 1, directTo: stack.url)
                    try await other.exchange { $0.directoryRequest() }
                    try await other.exchange { $0.tokenKeyRequest() }
                    try await other.fetchTokens(1)
                    try await database.write {
                        try $0.execute(sql: "ALTER TABLE evaluationKey RENAME TO away")
                    }
                    await #expect(throws: Refused.notReadable) {
                        try await other.exchange { try $0.configRequest() }
                    }
                    let page = try await Wire.get("/metrics", stack.url).content
                    #expect(String(decoding: page, as: UTF8.self).contains("urlfilter_evaluation_keys NaN\n"))
                }
            }
        }
    }

    @Test func aDirectoryOfCopiesBelongsToOneServer() async throws {
        try await Fixture.withStateFile { path in
            try await Fixture.withStack(Self.options(path)) { _ async throws in
                try FileManager.default.createSymbolicLink(
                    atPath: path + "-second-versions", withDestinationPath: "state.sqlite-versions")
                let refusal = try #require(try await Self.refusal(path + "-second"))
                #expect(refusal.contains("another server uses it"))
            }
        }
    }

    /// Keys, pseudonyms and the served list are the operator's business, reports are the users'.
    @Test func onlyTheOwnerReadsWhatServersWrite() async throws {
        try await Fixture.withStateFile { path in
            let files = FileManager.default
            let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let reports = directory + "/reports"
            try files.createDirectory(atPath: reports, withIntermediateDirectories: false)
            // Copied there by hand, say.
            try await Fixture.withStack(Self.options(path)) { _ in }
            try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path + "-versions")
            let data = LiveData(
                versions: Fixture.data.versions, users: Fixture.data.users, reportDirectory: reports)
            try await Fixture.withStack(Self.options(path), load: { data }) { stack async throws in
                var device = try TestDevice(directTo: stack.url)
                try await device.settle(tokens: 2)
                _ = try await device.look(up: ["blocked1.example"])
                #expect(try await device.spend(on: ServiceNames.reportPath, [0x0A, 1, 0x61]).status == 200)
                var seen: Set<String> = []
                for name in try #require(files.subpaths(atPath: directory)) where name != "reports" {
                    let attributes = try files.attributesOfItem(atPath: directory + "/" + name)
                    let isDirectory = attributes[.type] as? FileAttributeType == .typeDirectory
                    #expect(attributes[.posixPermissions] as? Int == (isDirectory ? 0o700 : 0o600), "\(name)")
                    seen.insert(String(name.split(separator: ".").last ?? ""))
                }
                #expect(seen.isSuperset(of: ["sqlite", "sqlite-wal", "sqlite-shm", "bin", "txtpb"]))
            }
        }
    }
}

extension Refused {
    static let notReadable = Refused(status: 503, text: "the server cannot read its state")
    static let notStored = Refused(status: 503, text: "the server cannot store its state")
}
