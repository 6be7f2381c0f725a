/// Bytes of a ``LookupStringBuffer``, as offsets.
struct Piece: BitwiseCopyable {
    var start: Int32
    var end: Int32

    init(_ range: Range<Int>) {
        start = Int32(range.lowerBound)
        end = Int32(range.upperBound)
    }

    var range: Range<Int> { Int(start)..<Int(end) }
    var count: Int { Int(end - start) }
}

/// Lookup strings that are all heads (domains, with or without port) followed by all endings (nothing, `/`,
/// the path's beginnings, query, fragment).
///
/// A URL has one to three families. Writing the families down instead of the strings is what makes a URL
/// cheap: a few heads and a few endings stand for dozens of strings.
struct StringFamily {
    /// Places in the buffer's heads. Of two heads that start at the same byte, the shorter one comes first.
    var heads: Range<Int>
    /// Places in the buffer's endings. Endings that start at the same byte are neighbours, the shorter ones first.
    var endings: Range<Int>
    /// How many endings one head has before it is the next head's turn; divides the number of endings.
    var run: Int
    /// So many bytes all endings have in common, except those that are shorter.
    var sharedLength: Int
    /// Index of the first string.
    var first: Int

    var count: Int { heads.count * endings.count }

    /// Places of head and ending in the buffer.
    func parts(ofString index: Int) -> (head: Int, ending: Int) {
        let (round, place) = (index - first).quotientAndRemainder(dividingBy: run * heads.count)
        let (head, ending) = place.quotientAndRemainder(dividingBy: run)
        return (heads.lowerBound + head, endings.lowerBound + round * run + ending)
    }
}
