/// How long devices go on with an edition that was wrong about an entry, in seconds since its repair was begun.
package struct EntryRepair: Codable, Equatable, Sendable {
    /// Whose devices, and what they do then.
    package var meaning: String
    /// Over the devices; absent for app restarts without a closed form.
    package var mean: Double?
    /// Seconds for 99 of 100 devices.
    package var late: Double?
}

extension FreshnessForecast {
    /// The answers of a helpdesk, that for who complained first: a device that was told that an entry is listed
    /// remembers it, so that what the servers know does not help it.
    ///
    /// - Parameter answersKept: Seconds for which a device remembers an answer, unless a new prefilter comes before.
    package func repairs(answersKept: Double) -> [EntryRepair] {
        func repair(_ meaning: String, _ follows: (Double) -> Double?) -> EntryRepair {
            EntryRepair(
                meaning: meaning, mean: mean(of: follows), late: seconds(untilShare: 0.99, of: follows))
        }
        let configuration =
            changesConfiguration
            ? "as the edition changes the configuration" : "as the configuration stays"
        return [
            repair("who complained can open it; their device remembers the answer") {
                $0 < answersKept ? started($0) : allows($0)
            },
            repair("others can open it, \(configuration)") { allows($0) },
            repair("an entry that was missing is blocked") { blocks($0) },
        ]
    }
}
