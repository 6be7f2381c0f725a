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
    ///   - path: A file, or the folder of a category.
    ///   - format: Nil: recognised from the first lines.
    ///   - columns: Of a table, by name.
    ///   - maximumByteCount: A larger file is an error.
    package init(
        path: String, format: BlockListFormat? = nil, columns: BlockListOptions.Columns? = nil,
        keys: KeyPolicy = .standard, maximumByteCount: Int = maximumByteCount
    ) throws {
        var options = Self.options(format, keys, Self.maximumLineCount)
        options.columns = columns
        if let folder = try BlockListReader.readFolder(path, options: options) {
            self.init(folder)
        } else {
            var bounds = InputBounds.list
            bounds.byteCount = maximumByteCount
            self.init(try BlockListReader.read(ByteSource(path: path, bounds: bounds), options: options))
        }
    }

    /// - Parameters:
    ///   - format: Nil: recognised from the first lines.
    ///   - maximumLineCount: More entries and dropped lines are an error.
    package init(
        bytes: [UInt8], name: String, format: BlockListFormat? = nil, keys: KeyPolicy = .standard,
        maximumLineCount: Int = maximumLineCount
    ) throws {
        self.init(
            try BlockListReader.read(
                ByteSource(bytes: bytes, name: name), options: Self.options(format, keys, maximumLineCount)))
    }

    private static func options(
        _ format: BlockListFormat?, _ keys: KeyPolicy, _ maximumLineCount: Int
    ) -> BlockListOptions {
        var options = BlockListOptions(format: format, policy: keys)
        options.placeLimit = maximumLineCount
        return options
    }

    private init(_ read: (list: BlockList, report: ReadReport)) {
        guard let places = read.report.places else {
            preconditionFailure("a reader that was asked for places returned none")
        }
        (list, report, self.places) = (read.list, read.report, places)
    }

    /// Lines that were dropped, in the order of the file.
    package var dropped: some RandomAccessCollection<ListPlaces.Dropped> { places.dropped }

    /// File and line of a line: no file where the list is one.
    package func place(ofLine line: Int) -> (file: String?, line: Int) { places.place(ofLine: line) }

    /// Line of an entry, counted from 1, over all files of a folder.
    package func line(of position: Int) -> Int { places.line(ofEntry: position) }
}
