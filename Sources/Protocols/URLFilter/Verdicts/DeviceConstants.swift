import Decoding

/// Nanoseconds, a duration or a time since some start that the caller chooses.
@usableFromInline
package typealias Nanoseconds = Int64

/// The numbers built into a device of any generation. Most were read in decompiled binaries and may differ between
/// versions, so all can be changed. ``GenerationRules`` has those that are known to differ.
///
/// Sections are those of article "Device"; its section "Marks" explains [V], [R] and [U].
@usableFromInline
package struct DeviceConstants: Hashable, Sendable {
    /// Shortest prefilter fetch interval that the system accepts, 45 min [V], section "Configuration".
    package static let minimumPrefilterFetchInterval: Nanoseconds = .seconds(2700)

    /// How long a URL load waits for the PIR server, from the check on. 3 s [R], section "Fail mode".
    @usableFromInline package var verdictTimeout: Nanoseconds = .seconds(3)
    /// Entries of the agent's verdict cache; when it holds more, it is emptied before the next one goes in.
    /// 100 [R], section "Caches and keys".
    @usableFromInline package var agentCacheLimit = 100
    /// Entries of the PIR client's cache. 1000 [R], section "Caches and keys".
    @usableFromInline package var pirCacheEntries = 1000
    /// How long the PIR client's cache keeps an answer. 4320 min [R], section "Caches and keys".
    @usableFromInline package var pirCacheTimeToLive: Nanoseconds = .minutes(4320)
    /// Life of an evaluation key. 10080 min [R], section "Caches and keys".
    package var evaluationKeyLife: Nanoseconds = .minutes(10_080)
    /// How long before its end a key is replaced. 1440 min [R], section "Caches and keys".
    package var evaluationKeyRenewBefore: Nanoseconds = .minutes(1440)
    /// Time between two prefilter fetches. 86400 s [V], section "Configuration"; see ``minimumPrefilterFetchInterval``.
    package var prefilterFetchInterval: Nanoseconds = .seconds(86_400)

    package init() {}
}
