import HomomorphicEncryption

/// Calls `body` with damaged copies of some bytes: bits flipped, pieces cut out, doubled, overwritten, truncated.
///
/// The copies are the same in every run. The test passes if nothing traps.
func forEachMutation(of original: [UInt8], count: Int, _ body: ([UInt8]) throws -> Void) rethrows {
    var random = generator("mutations of \(original.count) bytes")
    for _ in 0..<count {
        var bytes = original
        for _ in 0...Int.random(in: 0...2, using: &random) {
            guard !bytes.isEmpty else { break }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...16, using: &random))
            switch Int.random(in: 0...6, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 1: bytes[place] = .random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 4: bytes.removeLast(bytes.count - place)
            case 5: bytes.replaceSubrange(place..<end, with: repeatElement(0xff, count: end - place))
            default: bytes.insert(.random(in: 0...255, using: &random), at: place)
            }
        }
        try body(bytes)
    }
}
