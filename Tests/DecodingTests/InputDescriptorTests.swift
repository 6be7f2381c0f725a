import Decoding
import Foundation
import Testing

@Suite struct InputDescriptorTests {
    @Test func whatHasNoEndIsRefused() throws {
        #expect(throws: InputDescriptor.Fault.isDevice) { try InputDescriptor.open("/dev/zero") }
        #expect(throws: InputDescriptor.Fault.isDirectory) { try InputDescriptor.open("/") }
        #expect(throws: InputDescriptor.Fault.missing) { try InputDescriptor.open("/no/such/file") }
        #expect(try InputDescriptor.contents(of: "/dev/null", limit: 10).isEmpty)
    }

    @Test func oneByteMoreThanAllowedTellsThatThereIsMore() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "input-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("abcdef".utf8).write(to: URL(filePath: path))
        #expect(try InputDescriptor.contents(of: path, limit: 6) == Array("abcdef".utf8))
        #expect(try InputDescriptor.contents(of: path, limit: 4) == Array("abcde".utf8))
    }

    /// A writer that is there and silent is waited for; it ends here by closing.
    @Test func onlyAPipeWithoutAWriterIsGivenUp() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try #require(mkfifo(path, 0o600) == 0)
        let (descriptor, isPipe) = try InputDescriptor.open(path)
        defer { close(descriptor) }
        #expect(isPipe)
        #expect(throws: InputDescriptor.Fault.nobodyWrites(seconds: 0)) {
            try InputDescriptor.awaitWriter(of: descriptor, note: .zero, patience: .zero)
        }
        let writer = open(path, O_WRONLY)
        write(writer, "x", 1)
        close(writer)
        #expect(try InputDescriptor.awaitWriter(of: descriptor, note: .zero, patience: .zero) == nil)
        var byte: UInt8 = 0
        #expect(read(descriptor, &byte, 1) == 1 && byte == UInt8(ascii: "x"))
        #expect(read(descriptor, &byte, 1) == 0)
    }
}
