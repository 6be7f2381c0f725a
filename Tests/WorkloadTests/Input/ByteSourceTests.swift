import Decoding
import Foundation
import Testing
import Workload

@Suite("ByteSource")
struct ByteSourceTests {
    static let text = Array(
        (0..<20_000).map { "entry\($0 % 997).example.com/path/\($0)" }.joined(separator: "\n").utf8)

    @Test("Any kind of storage gives the same bytes, in pieces of any size")
    func storageDoesNotMatter() throws {
        let half = Self.text.count / 2
        let stored: [(bytes: [UInt8], compression: ByteSource.Compression)] = [
            (Self.text, .none),
            (gzip(Self.text), .gzip),
            (gzip(Array(Self.text[..<half])) + gzip([]) + gzip(Array(Self.text[half...])), .gzip),
            (gzip(Self.text) + [0, 0, 0, 0, 0], .gzip),
            (zstd(Self.text), .zstd),
            (zstd(Array(Self.text[..<half])) + zstd(Array(Self.text[half...])), .zstd),
            // A skippable frame of 3 bytes in front (RFC 8878, section 3.1.2).
            ([0x52, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3] + zstd(Self.text), .zstd),
        ]
        for (bytes, compression) in stored {
            for piece in [1013, 1 << 20] {
                let source = try ByteSource(bytes: bytes, name: "test")
                #expect(source.compression == compression)
                #expect(try contents(of: source, piece: piece) == Self.text)
            }
        }
    }

    /// Foundation writes it; pairs are cut by pieces of any size, also within gzip.
    @Test("UTF-16 is read as UTF-8", arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
    func utf16(encoding: String.Encoding) throws {
        let text =
            "bad.example\r\nbücher.example/\u{1F600}\n" + String(repeating: "aé漢\u{1F680}", count: 9999)
        let data = try #require("\u{FEFF}\(text)".data(using: encoding))
        for stored in [Array(data), gzip(Array(data))] {
            for piece in [1, 3, 1013, 1 << 20] {
                let source = try ByteSource(bytes: stored, name: "test")
                let read = try contents(of: source, piece: piece)
                #expect(source.isUTF16 && read == Array("\u{FEFF}\(text)".utf8))
            }
        }
        // Half of a pair, and half of a unit.
        let cut = try contents(of: ByteSource(bytes: [0xFF, 0xFE, 0x3D, 0xD8, 0x61, 0, 0x62], name: "test"))
        #expect(String(decoding: cut, as: UTF8.self) == "\u{FEFF}\u{FFFD}a\u{FFFD}")
        for bytes: [UInt8] in [[], [0xFF], [0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], [0xEF, 0xBB, 0xBF, 0x61]] {
            let source = try ByteSource(bytes: bytes, name: "test")
            #expect(try contents(of: source) == bytes && !source.isUTF16)
        }
    }

    @Test("A file is read like memory, and standard input has a name")
    func files() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "list.gz").path
            try Data(gzip(Self.text)).write(to: URL(filePath: path))
            let source = try ByteSource(path: path, bounds: .list)
            #expect(source.name == path)
            #expect(try contents(of: source) == Self.text)
            try Data().write(to: URL(filePath: path))
            #expect(try contents(of: ByteSource(path: path, bounds: .list)).isEmpty)
        }
    }

    @Test("A missing file and a directory are told apart")
    func openErrors() throws {
        try withTemporaryFolder { folder in
            let missing = folder.appending(path: "no.txt").path
            #expect(throws: InputError.missing(path: missing)) {
                try ByteSource(path: missing, bounds: .list)
            }
            #expect(throws: InputError.isDirectory(path: folder.path)) {
                try ByteSource(path: folder.path, bounds: .list)
            }
        }
    }

    @Test("A named pipe is waited for, with a note, and refused where one reading is not enough")
    func namedPipes() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "list.txt").path
            #expect(mkfifo(path, 0o600) == 0)
            #expect(throws: InputError.isPipe(path: path)) {
                try ByteSource(path: path, bounds: .list, isReadAgain: true)
            }
            let text = try textNoted(path) {
                try contents(of: ByteSource(path: path, bounds: .list, waiting: $0))
            }
            #expect(text == "waiting for \(path): nothing has been written to it yet\nend")
        }
    }

    @Test("A document that comes by a named pipe is waited for, with a note")
    func documentByPipe() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "scenario.yaml").path
            #expect(mkfifo(path, 0o600) == 0)
            let text = try textNoted(path) { try Array(InputBytes.read(path, limit: 100, waiting: $0)) }
            #expect(text == "waiting for \(path): nothing has been written to it yet\nend")
        }
    }

    /// What is read from a named pipe, into which the note about waiting is written and then "end".
    private func textNoted(_ path: String, _ read: (WaitingNote) throws -> [UInt8]) throws -> String {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let notes = FileHandle(fileDescriptor: ends[0])
        // Writes only when it is told that somebody waits.
        Thread.detachNewThread {
            let note = String(decoding: notes.availableData, as: UTF8.self)
            let writer = FileHandle(forWritingAtPath: path)
            writer?.write(Data((note + "end").utf8))
            try? writer?.close()
        }
        let note = WaitingNote(to: MessageStream(descriptor: ends[1]), after: .zero)
        return String(decoding: try read(note), as: UTF8.self)
    }

    @Test("A stream cut at any length is reported as cut", arguments: [ByteSource.Compression.gzip, .zstd])
    func truncation(_ compression: ByteSource.Compression) throws {
        let plain = Array(Self.text[..<300])
        let whole = compression == .gzip ? gzip(plain) : zstd(plain)
        for length in 4..<whole.count {
            let source = try ByteSource(bytes: Array(whole[..<length]), name: "cut")
            let expected = InputError.truncated(name: "cut", compression: compression, offset: length)
            #expect(throws: expected) { try contents(of: source) }
        }
        let second = try ByteSource(bytes: whole + whole[..<(whole.count - 1)], name: "cut")
        #expect(throws: InputError.self) { try contents(of: second) }
    }

    @Test("Bytes behind a gzip member that are no member are damage, with their place")
    func garbageBehind() throws {
        let member = gzip(Self.text)
        let source = try ByteSource(bytes: member + Array("rubbish".utf8), name: "test")
        let error = #expect(throws: InputError.self) { try contents(of: source) }
        guard case .corrupt(_, .gzip, let offset, _) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect((member.count...member.count + 7).contains(offset))
    }

    @Test("A frame that asks for a window of 2 GiB is refused")
    func hugeWindow() throws {
        // Magic, a frame header without checksum, window descriptor 2^31 (RFC 8878, section 3.1.1.1.2), empty last block.
        let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xA8, 0x01, 0x00, 0x00]
        let source = try ByteSource(bytes: frame, name: "huge")
        #expect(throws: InputError.self) { try contents(of: source) }
    }

    @Test(
        "A bomb is streamed: 64 MiB come out of some kilobytes",
        arguments: [ByteSource.Compression.gzip, .zstd])
    func bomb(_ compression: ByteSource.Compression) throws {
        let zeros = [UInt8](repeating: 0, count: 64 << 20)
        let source = try ByteSource(bytes: compression == .gzip ? gzip(zeros) : zstd(zeros), name: "bomb")
        var buffer = [UInt8](repeating: 1, count: 1 << 16)
        var total = 0
        while case let count = try buffer.withUnsafeMutableBytes({ try source.read(into: $0) }), count > 0 {
            total += count
        }
        #expect(total == zeros.count)
    }

    @Test("A bomb of more than 256 MiB is refused, with how far it came")
    func largeBomb() throws {
        let zeros = [UInt8](repeating: 0, count: InputBounds.freeExpansion + (8 << 20))
        let bytes = zstd(zeros)
        let source = try ByteSource(bytes: bytes, name: "bomb")
        let error = #expect(throws: InputError.self) { try contents(of: source, piece: 1 << 20) }
        guard case .expands("bomb", let from, let to) = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
        #expect(from <= bytes.count && to > InputBounds.freeExpansion)
        #expect(to <= InputBounds.freeExpansion + (1 << 20))
        // As many bytes that are not compressed are no bomb.
        let plain = try ByteSource(bytes: zeros, name: "plain")
        #expect(try contents(of: plain, piece: 1 << 20).count == zeros.count)
    }

    @Test("A device is refused, but for the one that is empty")
    func devices() throws {
        #expect(throws: InputError.endless(path: "/dev/zero", .isDevice)) {
            try ByteSource(path: "/dev/zero", bounds: .list)
        }
        #expect(try contents(of: ByteSource(path: "/dev/null", bounds: .list)).isEmpty)
    }

    @Test("A named pipe that nobody opens to write is given up")
    func silentPipe() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "list.txt").path
            #expect(mkfifo(path, 0o600) == 0)
            let note = WaitingNote(to: MessageStream(descriptor: -1), after: .zero, for: .zero)
            let expected = InputError.endless(path: path, .nobodyWrites(seconds: 0))
            #expect(throws: expected) { try ByteSource(path: path, bounds: .list, waiting: note) }
            #expect(throws: expected) { try InputBytes.read(path, limit: 10, waiting: note) }
        }
    }

    @Test("Lines and bytes are counted, and the error says which bound and which line")
    func bounds() throws {
        func read(_ bounds: InputBounds) throws -> Int {
            var report = ReadReport(source: "list")
            var reader = LineReader(
                try ByteSource(bytes: Array("a\nbb\nccc\n".utf8), name: "list", bounds: bounds))
            while try reader.advance(&report) {}
            return reader.lineNumber
        }
        #expect(try read(InputBounds(byteCount: 9, lineCount: 3)) == 3)
        #expect(throws: InputError.tooLong(name: "list", lineLimit: 2)) {
            try read(InputBounds(byteCount: 9, lineCount: 2))
        }
        #expect(throws: InputError.tooLarge(name: "list", limit: 8, line: 2)) {
            try read(InputBounds(byteCount: 8))
        }
        #expect(
            InputError.tooLarge(name: "list", limit: 8, line: 1).description
                == "list: larger than 8 bytes, the most that is read of such a file; reading stopped in line 1; split the file"
        )
    }

    @Test("Damaged streams end in an error or in bytes, never in a trap", arguments: [gzip, zstd])
    func damage(_ compress: @Sendable ([UInt8]) -> [UInt8]) throws {
        for bytes in damagedCopies(of: compress(Array(Self.text[..<400])), count: 1500) {
            do {
                _ = try contents(of: ByteSource(bytes: bytes, name: "damaged"))
            } catch is InputError {}
        }
    }

    @Test("The sentences name file, place and what to do")
    func sentences() {
        let truncated = InputError.truncated(name: "a.gz", compression: .gzip, offset: 70)
        #expect(
            truncated.description
                == "a.gz: the gzip data stop at byte 70, before their end mark; the file is incomplete")
        #expect(InputError.missing(path: "x").description == "x: there is no such file")
    }
}
