import RandomStreams

/// How requests are spread over the instances of a service.
package enum Balancing: String, CaseIterable, Codable, Hashable, Sendable {
    /// One queue for all instances: whichever is free takes the next request. The ideal that no balancer reaches.
    case pooled
    /// One after the other: what a cloud's load balancer does unless told otherwise.
    case roundRobin
    case random
    /// To the instance with the fewest requests that wait or are served; among equals to the next in turn.
    case leastOutstanding
    /// To the one of two random instances that has fewer requests (Mitzenmacher, doi:10.1109/71.963420).
    case powerOfTwo
    /// A user always to the same instance, as long as that is up (Thaler and Ravishankar, doi:10.1109/90.663936).
    case stickyByUser
}

/// Chooses the instance for each request, among those that are up.
///
///     guard let instance = balancer.choose(user: user, load: { lines[$0].busyServers }, draw: stream.index(below:))
///     else { return refuse() }
package struct Balancer: Sendable {
    package let balancing: Balancing
    private var up: [Int]
    private var turn = 0

    /// - Parameter instances: All up. For `pooled` they are one: it has one queue.
    package init(_ balancing: Balancing, instances: Int) {
        precondition(instances >= 0, "a service cannot have \(instances) instances")
        self.balancing = balancing
        up = Array(0..<instances)
    }

    /// Instances that get requests, in ascending order.
    package var instancesUp: [Int] { up }

    /// Adds an instance or takes it away. Requests that it has already are not the balancer's business.
    package mutating func set(_ instance: Int, isUp: Bool) {
        let place = up.firstIndex { $0 >= instance } ?? up.count
        let isThere = place < up.count && up[place] == instance
        if isUp, !isThere { up.insert(instance, at: place) }
        if !isUp, isThere { up.remove(at: place) }
    }

    /// The instance for a request.
    ///
    /// - Parameters:
    ///   - user: Whose request it is.
    ///   - load: Requests that an instance has.
    ///   - draw: A random number below its argument, each with the same probability.
    /// - Returns: `nil` if none is up.
    /// - Complexity: O(1); O(n) in the instances for `leastOutstanding` and `stickyByUser`.
    package mutating func choose(user: UInt64, load: (Int) -> Int, draw: (Int) -> Int) -> Int? {
        guard up.count > 1 else { return up.first }
        switch balancing {
        case .pooled: return up[0]
        case .roundRobin:
            turn = (turn + 1) % up.count
            return up[turn]
        case .random: return up[draw(up.count)]
        case .leastOutstanding:
            turn = (turn + 1) % up.count
            return (up[turn...] + up[..<turn]).min { load($0) < load($1) }
        case .powerOfTwo:
            let first = draw(up.count)
            var second = draw(up.count - 1)
            if second >= first { second += 1 }
            return load(up[second]) < load(up[first]) ? up[second] : up[first]
        case .stickyByUser: return up.max { Self.weight($0, user) < Self.weight($1, user) }
        }
    }

    /// Weight of an instance for a user; when an instance goes, only its users move.
    private static func weight(_ instance: Int, _ user: UInt64) -> UInt64 {
        SplitMix64.finalize(
            user &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(instance) &* 0xD6E8_FEB8_6659_FD93)
    }
}
