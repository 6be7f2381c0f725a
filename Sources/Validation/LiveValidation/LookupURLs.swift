package import DeviceFleet
import RandomStreams
import URLFilter
package import Workload

/// URLs of listed entries that make exactly one lookup of one keyword each.
package enum LookupURLs {
    /// More than any device loads.
    private static let wanted = 4096

    /// - Returns: In random order, up to 4096.
    package static func make(of list: BlockList, prefilter: DevicePrefilter, seed: UInt64) -> [String] {
        var random = RandomStream(
            seed: seed, replication: 0, entity: 0, purpose: StreamPurpose("validation URLs"))
        var order = Array(0..<list.count)
        var buffer = LookupStringBuffer()
        var urls: [String] = []
        for place in order.indices where urls.count < wanted {
            order.swapAt(place, place + random.index(below: order.count - place))
            let url = "https://" + list.string(at: order[place])
            guard !url.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "\"") || $0 >= 0x7f }),
                let hits = try? prefilter.hits(of: Array(url.utf8), using: &buffer), hits.count == 1
            else { continue }
            urls.append(url)
        }
        return urls
    }
}
