import Decoding
import Foundation
import TestSupport
import Testing

@Suite struct InputDescriptorTests {
    @Test func whatHasNoEndIsRefused() throws {
        #expect(throws: InputDescriptor.Fault.isDevice) { try InputDescriptor.open("/dev/zero") }
        #expect(throws: InputDescriptor.Fault.isDirectory) { try InputDescriptor.open("/") }
        #expect(throws: InputDescriptor.Fault.missing) { try InputDescriptor.open("/no/such/file") }
        #expect(try InputDescriptor.contents(of: "/dev/null", limit: 10).isEmpty)
    }

    @Test func oneByteMoreThanAllowedTellsThatThereIsMore() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("abcdef", to: "input")
        #expect(try InputDescriptor.contents(of: path, limit: 6) == Array("abcdef".utf8))
        #expect(try InputDescriptor.contents(of: path, limit: 4) == Array("abcde".utf8))
    }

    /// A writer that is there and silent is waited for; it ends here by closing.
    @Test func onlyAPipeWithoutAWriterIsGivenUp() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path + "/pipe"
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
