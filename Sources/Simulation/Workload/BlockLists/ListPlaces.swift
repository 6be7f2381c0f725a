/// The whereabouts of the lines of a block list: the line of every entry, and every line that was dropped.
///
/// For a tool that names them all. It costs 4 bytes per entry, and per dropped line 9 bytes and the beginning of
/// the line.
package struct ListPlaces: Equatable, Sendable {
    /// A line that looked like data and is not in the list.
    package struct Dropped: Hashable, Sendable {
        /// Counted from 1.
        package var line: Int
        package var reason: ReadReport.Reason
        /// The beginning of the line: anything, but no more than an example quotes, and one byte that tells
        /// that there was more.
        package var text: ArraySlice<UInt8>
    }

    /// A file of a list that is several.
    private struct File: Equatable {
        var path: String
        /// Lines of the files before.
        var start: Int
    }

    /// Most entries and dropped lines together.
    let limit: Int

    /// Empty for a list of one file.
    private var files: [File] = []

    private var entryLines: [UInt32] = []
    private var droppedLines: [UInt32] = []
    private var reasons: [ReadReport.Reason] = []
    private var texts = BlockList()

    init(limit: Int) { self.limit = limit }

    /// The next file of a list that is several. Its lines are counted on from those before, so that lines stay in
    /// order.
    mutating func begin(_ path: String, behind lineCount: Int) {
        files.append(File(path: path, start: lineCount))
    }

    /// File and line of a line that is counted over all files; no file where there is one only.
    package func place(ofLine line: Int) -> (file: String?, line: Int) {
        guard let file = files.last(where: { $0.start < line }) else { return (nil, line) }
        return (file.path, line - file.start)
    }

    private func counted(_ line: UInt32) -> UInt32 { UInt32(clamping: Int(line) + (files.last?.start ?? 0)) }

    /// The dropped lines in the order of the file.
    package var dropped: some RandomAccessCollection<Dropped> {
        // That an exception gets lost is known only when all lines have been read.
        let order = droppedLines.indices.sorted { (droppedLines[$0], $0) < (droppedLines[$1], $1) }
        return order.lazy.map { index in
            Dropped(line: Int(droppedLines[index]), reason: reasons[index], text: texts[index])
        }
    }

    /// Line of an entry of the list, counted from 1, over all files.
    package func line(ofEntry position: Int) -> Int { Int(entryLines[position]) }

    var isFull: Bool { entryLines.count + droppedLines.count >= limit }

    mutating func addEntry(line: UInt32) {
        entryLines.append(counted(line))
    }

    /// Entries that are taken out again; positions in rising order.
    mutating func remove(entries positions: [Int]) {
        var removed = positions[...]
        var place = -1
        entryLines.removeAll { _ in
            place += 1
            guard removed.first == place else { return false }
            removed.removeFirst()
            return true
        }
    }

    mutating func drop(_ reason: ReadReport.Reason, _ text: Span<UInt8>, line: UInt32) {
        droppedLines.append(counted(line))
        reasons.append(reason)
        texts.append(text.extracting(0..<min(text.count, ReadReport.maximumExampleLength + 1)))
    }
}
