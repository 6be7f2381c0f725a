/// Hops of a kind of message from the device and back to it, in order.
struct Route {
    let hops: [Hop]

    /// Legs between the device and a hop's part, on the way that the message first took to it.
    func legs(to hop: Int) -> [Leg] {
        let part = hops[hop].part
        let first = hops.firstIndex { $0.part == part && part != nil } ?? hop
        return hops[..<first].compactMap(\.leg)
    }
}

/// One thing that a message meets.
enum Hop {
    case travel(Leg)
    /// A part without a queue lets a request through, unless it is down or the request is too large for it.
    case pass(part: Int)
    /// The same part lets the answer through, unless that is too large for it.
    case passBack(part: Int)
    case serve(Service)

    /// Place of the part in ``World/parts``.
    var part: Int? {
        switch self {
        case .travel: nil
        case .pass(let part), .passBack(let part): part
        case .serve(let service): service.part
        }
    }

    fileprivate var leg: Leg? {
        if case .travel(let leg) = self { leg } else { nil }
    }
}

/// A stretch of network.
enum Leg {
    /// Between a device and the edge of the network; sending takes time, too.
    case uplink, downlink
    /// Between the relay, which is the part, and the gateway, either way.
    case relayed(by: Int)
    /// Between the gateway and the services behind it, either way.
    case backend

    /// Direction over the access network; `nil` elsewhere.
    var way: Way? {
        switch self {
        case .uplink: .up
        case .downlink: .down
        case .relayed, .backend: nil
        }
    }
}

/// Work of a part with a queue on a message.
struct Service {
    /// Place in ``World/parts``, and in ``World/stations``.
    let part: Int
    let station: Int
    /// Which of its works; the filter knows what they are.
    let stage: UInt8
    /// Tally to which the message's times at this hop are added.
    let tally: Int
    /// The part learns what stands in the message.
    let reads: Bool
    /// The message says whose it is, by a name at least.
    let knowsSender: Bool
    /// Messages that wait may be answered along with this one; see ``LookupGrouping``.
    var groups = false
}
