import Parties

/// Lookups that a thread of the PIR server answered together.
package struct AnsweredGroup: Sendable {
    package static let limit = PIRParty.groupLimit
    /// Questions answered together, unless one lookup has more: assumption, four lookups of a device.
    static let questionLimit = 32

    /// When each of them got into the line.
    package let arrived: [ContinuousClock.Instant]
    package let started: ContinuousClock.Instant
    package let ended: ContinuousClock.Instant
    /// CPU time of the thread meanwhile.
    package let cpuNanoseconds: Int64
}
