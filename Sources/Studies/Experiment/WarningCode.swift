/// Subject of a warning, for scripts: the words may change, these do not.
package enum WarningCode: String, Codable, CaseIterable, Sendable {
    // Laws that hold in every run; a broken one is a bug of the simulator.
    case urlsNotConserved = "urls.notConserved"
    case verdictsNotConserved = "verdicts.notConserved"
    case harmsNotConserved = "harms.notConserved"
    case lookupsNotConserved = "lookups.notConserved"
    case requestsNotConserved = "requests.notConserved"
    case stationsNotConserved = "stations.notConserved"
    case resourcesNotConserved = "resources.notConserved"
    // Runs.
    case traceFewClients = "trace.fewClients"
    case traceShort = "trace.short"
    case traceCut = "trace.cut"
    case traceOneHost = "trace.oneHost"
    case dayStretched = "day.stretched"
    case replicationsOne = "replications.one"
    case costProfileNoisy = "costProfile.noisy"
    case prefilterSmall = "prefilter.small"
    case blocklistUnmatchable = "blocklist.unmatchable"
    case batchesCorrelated = "batches.correlated"
    case replicationsCorrelated = "replications.correlated"
    case warmUpNotFound = "warmUp.notFound"
    case warmUpTrend = "warmUp.trend"
    case precisionNotReached = "precision.notReached"
    case recoveryCensored = "recovery.censored"
    case freshnessCensored = "freshness.censored"
    case memoryShort = "memory.short"
    case configurationGone = "configuration.gone"
    case mechanismOverloaded = "mechanism.overloaded"
    case objectiveNoSample = "objective.noSample"
    // Sheets for Apple.
    case shardsNotPowerOfTwo = "shards.notPowerOfTwo"
    case shardsTooMany = "shards.tooMany"
    case sizeAverage = "size.average"
    case capKey = "cap.key"
    case hostUnchecked = "host.unchecked"
    case host
    case hostShared = "host.shared"
    case observation
    case continentMissing = "continent.missing"
    case dayExtrapolated = "day.extrapolated"
    case minuteShort = "minute.short"
    case testEntryMissing = "testEntry.missing"
    case entriesUnmatchable = "entries.unmatchable"
    case declareUnknown = "declare.unknown"
    case launchExcluded = "launch.excluded"

    /// Whether a law does not hold that has to.
    package var isBrokenLaw: Bool {
        switch self {
        case .urlsNotConserved, .verdictsNotConserved, .harmsNotConserved, .lookupsNotConserved,
            .requestsNotConserved, .stationsNotConserved, .resourcesNotConserved:
            true
        default: false
        }
    }
}
