/// The prefilter test of a whole URL.
extension LookupStringBuffer {
    /// Appends the indices of the strings that hit the filter, in order: the batch for the PIR server.
    ///
    /// The same as asking `mayContain` for each string, but strings that are beginnings of the next ones are
    /// hashed together: about 1.5 times as fast.
    package func appendHits(of filter: BloomFilter, to indices: inout [Int]) {
        bytes.withUnsafeBytes { bytes in
            filter.bytes.withUnsafeBufferPointer { bits in
                var running = RunningDigest(murmurSeed: filter.parameters.murmurSeed)
                var start = -1
                var end = 0
                for (index, slice) in slices.enumerated() {
                    if slice.start != start || slice.end < end {
                        running = RunningDigest(murmurSeed: filter.parameters.murmurSeed)
                        start = Int(slice.start)
                    }
                    end = Int(slice.end)
                    let text = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                    let key = running.digest(upTo: text.count, of: text)
                    if filter.contains(key, in: bits) { indices.append(index) }
                }
            }
        }
    }
}
