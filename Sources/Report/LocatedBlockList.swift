package import Workload

/// A block list together with the line of every entry and of everything that was dropped.
package struct LocatedBlockList: Sendable {
    /// Largest file, decompressed, in bytes. It is streamed, but its entries are in memory.
    package static let maximumByteCount = InputBounds.list.byteCount

    /// Most entries and dropped lines together. Each costs up to 15 bytes beside its text, so that a file of short
    /// lines needs several times its size: at most some 3 GB.
    package static let maximumLineCount = InputBounds.list.lineCount

    package let list: BlockList
    package let report: ReadReport
    private let places: ListPlaces

    /// - Parameters:
    ///   - format: Nil: recognised from the first lines.
    ///   - maximumByteCount: A larger file is an error.
    package init(
        path: String, format: BlockListFormat? = nil, keys: KeyPolicy = .standard,
        maximumByteCount: Int = maximumByteCount
    ) throws {
        var bounds = InputBounds.list
        bounds.byteCount = maximumByteCount
        try self.init(ByteSource(path: path, bounds: bounds), format, keys, Self.maximumLineCount)
    }

    /// - Parameters:
    ///   - format: Nil: recognised from the first lines.
    ///   - maximumLineCount: More entries and dropped lines are an error.
    package init(
        bytes: [UInt8], name: String, format: BlockListFormat? = nil, keys: KeyPolicy = .standard,
        maximumLineCount: Int = maximumLineCount
    ) throws {
        try self.init(ByteSource(bytes: bytes, name: name), format, keys, maximumLineCount)
    }

    private init(
        _ source: ByteSource, _ format: BlockListFormat?, _ keys: KeyPolicy, _ maximumLineCount: Int
    ) throws {
        var options = BlockListOptions(format: format, policy: keys)
        options.placeLimit = maximumLineCount
        let (list, report) = try BlockListReader.read(source, options: options)
        guard let places = report.places else {
            preconditionFailure("a reader that was asked for places returned none")
        }
        (self.list, self.report, self.places) = (list, report, places)
    }

    /// In the order of the file.
    package var dropped: some RandomAccessCollection<ListPlaces.Dropped> { places.dropped }

    /// Line of an entry, counted from 1.
    package func line(of position: Int) -> Int { places.line(ofEntry: position) }
}
