import Foundation
import Testing
import Workload

@Suite("MessageStream")
struct MessageStreamTests {
    /// A pipe whose both ends are closed with it.
    private final class TestPipe {
        let read: Int32
        let write: Int32

        init() {
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            (read, write) = (ends[0], ends[1])
        }

        deinit {
            close(read)
            close(write)
        }

        /// Everything that is in it now.
        func drain() -> String {
            _ = fcntl(read, F_SETFL, O_NONBLOCK)
            var text = ""
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = Foundation.read(read, &bytes, bytes.count), count > 0 {
                text += String(decoding: bytes[..<count], as: UTF8.self)
            }
            return text
        }
    }

    @Test("A reader that does not read costs the messages; once it has read, it is told how many")
    func fullPipe() {
        let pipe = TestPipe()
        let stream = MessageStream(descriptor: pipe.write, patience: .milliseconds(20))
        let line = String(repeating: "x", count: 99) + "\n"
        // A pipe holds 64 KiB.
        for _ in 0..<2_000 { stream.write(line) }
        let kept = pipe.drain()
        #expect((1..<2_000).contains(kept.count / line.count))
        stream.write("again\n")
        stream.write("more\n")
        let lost = 2_000 - kept.split(separator: "\n").count { $0.count == 99 }
        #expect(pipe.drain() == "(\(lost) messages before this one were lost)\nagain\nmore\n")
    }

    @Test("No descriptor and a full disk cost the messages")
    func nowhere() {
        MessageStream(descriptor: -1).write("gone\n")
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        let stream = MessageStream(descriptor: full)
        for _ in 0..<3 { stream.write("gone\n") }
    }
}
