/// The prefilter test of a whole URL.
extension LookupStringBuffer {
    /// Appends the indices of the strings that hit the filter, in order: the batch for the PIR server.
    ///
    /// The same as asking `mayContain` for each string, but the strings are hashed together, each byte of the
    /// URL once per domain, and their bits are fetched together.
    package func appendHits(of filter: BloomFilter, to indices: inout [Int]) {
        guard count > 0 else { return }
        withUnsafeTemporaryAllocation(of: KeyDigest.self, capacity: count) { digests in
            hash(into: digests, murmurSeed: filter.parameters.murmurSeed)
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: count) { candidates in
                let hitCount = filter.findHits(among: UnsafeBufferPointer(digests), candidates: candidates)
                for hit in candidates[..<hitCount] { indices.append(Int(hit)) }
            }
        }
    }

    /// Finds the digests of all strings.
    func hash(into digests: UnsafeMutableBufferPointer<KeyDigest>, murmurSeed: UInt32) {
        withUnsafeTemporaryAllocation(of: RunningDigest.self, capacity: 2 * heads.count) { space in
            for family in families where family.count > 0 {
                let count = family.heads.count
                hash(
                    family, murmurSeed, running: UnsafeMutableBufferPointer(rebasing: space[..<count]),
                    parting: UnsafeMutableBufferPointer(rebasing: space[count..<2 * count]), into: digests)
            }
        }
    }

    /// - Parameters:
    ///   - running: Space for a digest of each head.
    ///   - parting: The same for the place where the endings part.
    private func hash(
        _ family: StringFamily, _ murmurSeed: UInt32, running: UnsafeMutableBufferPointer<RunningDigest>,
        parting: UnsafeMutableBufferPointer<RunningDigest>,
        into digests: UnsafeMutableBufferPointer<KeyDigest>
    ) {
        let text = bytes.span.bytes
        let heads = heads.span.extracting(family.heads)
        let endings = endings.span.extracting(family.endings)

        var previous = Piece(0..<0)
        for index in heads.indices {
            let head = heads[index]
            if index > 0, head.start == previous.start {
                running[index] = running[index - 1]
                running[index].append(text.extracting(Int(previous.end)..<Int(head.end)))
            } else {
                running[index] = RunningDigest(murmurSeed: murmurSeed)
                running[index].append(text.extracting(head.range))
            }
            previous = head
        }

        // How far into the text of the endings the digests are, and which text that is.
        var position = 0
        var start = Int(endings[0].start)
        var hasParted = false
        var firstString = family.first
        for number in endings.indices {
            let ending = endings[number].range
            if ending.lowerBound != start, hasParted {
                _ = running.update(fromContentsOf: parting)
                (position, start) = (family.sharedLength, ending.lowerBound)
            }
            if !hasParted, position <= family.sharedLength, ending.count > family.sharedLength {
                RunningDigest.append(
                    text.extracting(start + position..<start + family.sharedLength), to: running)
                _ = parting.initialize(fromContentsOf: running)
                (position, start, hasParted) = (family.sharedLength, ending.lowerBound, true)
            }
            RunningDigest.append(
                text.extracting(ending.lowerBound + position..<ending.upperBound), to: running)
            position = ending.count
            var string = firstString
            for index in heads.indices {
                digests[string] = running[index].digest
                string += family.run
            }
            // After the last ending of a run, the next run starts behind those of the other heads.
            firstString += (number + 1).isMultiple(of: family.run) ? string - family.run - firstString + 1 : 1
        }
    }
}
