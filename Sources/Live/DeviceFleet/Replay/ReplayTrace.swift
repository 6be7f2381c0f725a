import URLFilter
package import Workload

/// The URL loads of a trace, with what each should come to.
package struct ReplayTrace: Sendable {
    package struct Load: Sendable {
        /// Nanoseconds since the first load of the trace.
        package let time: Int64
        package let device: UInt32
        package let url: UInt32
    }

    /// Loads in order of time.
    package private(set) var loads: [Load] = []
    package private(set) var urls: [[UInt8]] = []
    /// Whether a lookup string of the URL is in the list; by number of the URL.
    package private(set) var isListed: [Bool] = []
    package private(set) var clientCount = 0
    package let deviceCount: Int
    /// Loads that were left out because their URL cannot be expanded.
    package private(set) var unusableCount = 0
    /// Loads that were left out because they miss the prefilter, see `hitsOnly`.
    package private(set) var missCount = 0

    /// Reads records until there are enough.
    ///
    /// - Parameters:
    ///   - deviceCount: Clients are spread over so many devices, in the order in which they appear.
    ///   - hitsOnly: Leaves out what does not get past the prefilter.
    ///   - limit: Most loads that are kept.
    package init(
        deviceCount: Int, limit: Int, hitsOnly: Bool, prefilter: DevicePrefilter, list: BlockListIndex,
        next: () throws -> TraceRecord?
    ) throws {
        self.deviceCount = deviceCount
        var numbers: [String: (number: UInt32, hits: Bool)?] = [:]
        var clients: [String: Int] = [:]
        var buffer = LookupStringBuffer()
        var first: Int64?
        while loads.count < limit, let record = try next() {
            let known: (number: UInt32, hits: Bool)?
            if let entry = numbers[record.url] {
                known = entry
            } else {
                let bytes = Array(record.url.utf8)
                if let hits = try? prefilter.hits(of: bytes, using: &buffer) {
                    let listed = (0..<buffer.count).contains { index in
                        buffer.withString(at: index) { list.contains($0) }
                    }
                    known = (UInt32(urls.count), !hits.isEmpty)
                    urls.append(bytes)
                    isListed.append(listed)
                } else {
                    known = nil
                }
                numbers[record.url] = .some(known)
            }
            guard let known else {
                unusableCount += 1
                continue
            }
            if hitsOnly, !known.hits {
                missCount += 1
                continue
            }
            let client = clients[record.client] ?? clients.count
            clients[record.client] = client
            first = first ?? record.time
            loads.append(
                Load(
                    time: record.time - (first ?? 0), device: UInt32(client % deviceCount),
                    url: known.number))
        }
        clientCount = clients.count
    }
}
