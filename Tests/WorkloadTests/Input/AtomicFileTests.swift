import Foundation
import Testing
import Workload

@Suite("AtomicFile")
struct AtomicFileTests {
    private struct Stop: Error {}

    private func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test("The file appears at commit, and only then")
    func commit() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "out.bin").path
            let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
            try AtomicFile.write(to: path) { file in
                try file.write(bytes[..<100_000])
                try file.write(bytes[100_000...])
                #expect(!FileManager.default.fileExists(atPath: path))
            }
            #expect(try Data(contentsOf: URL(filePath: path)) == Data(bytes))
            #expect(try names(in: folder) == ["out.bin"])
        }
    }

    @Test("After a failure the old file is untouched and nothing else is left")
    func failure() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "out.txt").path
            try Data("old".utf8).write(to: URL(filePath: path))
            #expect(throws: Stop.self) {
                try AtomicFile.write(to: path) { file in
                    try file.write(String(repeating: "new", count: 100_000))
                    throw Stop()
                }
            }
            do {
                let abandoned = try AtomicFile(path: path)
                try abandoned.write("new")
            }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
            #expect(try names(in: folder) == ["out.txt"])
        }
    }

    @Test("A link keeps pointing to the file that is replaced")
    func link() throws {
        try withTemporaryFolder { folder in
            let target = folder.appending(path: "target").path
            let link = folder.appending(path: "link").path
            try Data("old".utf8).write(to: URL(filePath: target))
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            try AtomicFile.write(to: link) { try $0.write("new") }
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "new")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
        }
    }

    @Test("A device is written directly, a directory and a missing folder are errors")
    func specialPaths() throws {
        try AtomicFile.write(to: "/dev/null") { try $0.write("gone") }
        try withTemporaryFolder { folder in
            #expect(throws: InputError.isDirectory(path: folder.path)) { try AtomicFile(path: folder.path) }
            let error = #expect(throws: InputError.self) {
                try AtomicFile(path: folder.appending(path: "no/such").path)
            }
            #expect(error?.description.contains("cannot be written") == true)
        }
    }

    @Test("What a killed process left is removed by the next file of the name, and nothing else is")
    func leftovers() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "out.txt").path
            for name in [
                "out.txt.1z2y.partial", "out.txt.gz.1z2y.partial", "out.txt.notes.x.partial",
                "other.1.partial",
            ] {
                try Data("half".utf8).write(to: folder.appending(path: name))
            }
            let living = try AtomicFile(path: path)
            try AtomicFile.write(to: path) { try $0.write("whole") }
            try living.write("last")
            try living.commit()
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "last")
            #expect(
                try names(in: folder) == [
                    "other.1.partial", "out.txt", "out.txt.gz.1z2y.partial", "out.txt.notes.x.partial",
                ])
        }
    }

    @Test("A private file is its owner's; one that exists keeps its permissions")
    func permissions() throws {
        try withTemporaryFolder { folder in
            func mode(_ name: String) throws -> Int? {
                let path = folder.appending(path: name).path
                return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            let path = folder.appending(path: "own").path
            try AtomicFile.write(to: path, isPrivate: true) { try $0.write("1") }
            #expect(try mode("own") == 0o600)
            chmod(path, 0o640)
            try AtomicFile.write(to: path, isPrivate: true) { try $0.write("2") }
            #expect(try mode("own") == 0o640)
        }
    }
}
