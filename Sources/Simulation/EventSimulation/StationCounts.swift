/// Counts of the jobs that came to a station, went and were lost.
///
/// `arrivals` always equals the sum of completions, rejections and dropped
/// jobs and of those that still wait or are in service.
@usableFromInline
package struct StationCounts: Hashable, Sendable {
    @usableFromInline
    package var arrivals = 0
    @usableFromInline
    package var completions = 0
    @usableFromInline
    package var rejections = 0
    /// Waiting jobs lost to ``ServiceStation/drain(at:)``.
    @usableFromInline
    package var dropped = 0
    @usableFromInline
    package var maximumQueueLength = 0

    @inlinable
    package init() {}
}
