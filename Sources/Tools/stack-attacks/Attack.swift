/// Attacks of one kind, on a server that is started for them. A further one is a type in a file of its own, and its
/// name in the list of the program.
protocol AttackFamily {
    static var server: ServerLimits { get }
    static var attacks: [Attack] { get }
}

extension AttackFamily {
    static var server: ServerLimits { ServerLimits() }
}

/// One attack: what it does, and what the server must make of it.
struct Attack: Sendable {
    /// A path that sorts well: `http2.rapid-reset`.
    let name: String
    /// Description in one line.
    let summary: String
    /// Times the duration that was asked for.
    var duration = 1.0
    var limits = AttackLimits()
    /// Niceness of the attack's threads; 19 is the lowest priority. On the network the attack would come from other
    /// machines, and what it takes from the server's own is not what is measured; less for one that keeps a pace.
    var niceness: Int32 = 19
    /// Attacks until ``Target/deadline``, on a thread of its own. Nothing that it calls may wait much longer.
    let run: @Sendable (Target) throws -> Void
}

/// Limits on what an attack may do to a server and to those who use it.
struct AttackLimits: Codable, Hashable, Sendable {
    /// CPU time of the server, as a multiple of what an honest client costs.
    enum Cost: Codable, Hashable, Sendable {
        /// Cost of one request of the attack, beside one lookup.
        case perRequest(Double)
        /// Cost of one byte of the attack, beside one byte of a lookup.
        case perByte(Double)
    }

    /// Nil where the attack has nothing to count.
    var cost: Cost?
    /// Latency of honest lookups that 99 % have to meet: Apple's devices wait 3 s for a verdict.
    var latencySeconds = 3.0
    /// Share of honest work that may fail.
    var failureShare = 0.01
    /// Longest that `/health` may take.
    var healthSeconds = 1.0
    /// Largest resident memory of the server, bytes. At rest it takes some 70 MB.
    var memoryByteCount = 512 << 20
}
