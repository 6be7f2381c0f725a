/// Where the lines of a block list went: the line of every entry, and every line that was dropped.
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

    /// Most entries and dropped lines together.
    let limit: Int

    private var entryLines: [UInt32] = []
    private var droppedLines: [UInt32] = []
    private var reasons: [ReadReport.Reason] = []
    private var texts = BlockList()

    init(limit: Int) { self.limit = limit }

    /// The dropped lines in the order of the file.
    package var dropped: some RandomAccessCollection<Dropped> {
        droppedLines.indices.lazy.map { index in
            Dropped(line: Int(droppedLines[index]), reason: reasons[index], text: texts[index])
        }
    }

    /// Line of an entry of the list, counted from 1.
    package func line(ofEntry position: Int) -> Int { Int(entryLines[position]) }

    var isFull: Bool { entryLines.count + droppedLines.count >= limit }

    mutating func addEntry(line: UInt32) {
        entryLines.append(line)
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
        droppedLines.append(line)
        reasons.append(reason)
        texts.append(text.extracting(0..<min(text.count, ReadReport.maximumExampleLength + 1)))
    }
}
