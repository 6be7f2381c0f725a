import Decoding

/// Why a result is no load test.
package enum LoadTestError: InputFault, Equatable, CustomStringConvertible {
    case noLookups
    case noSpread(replications: Int)
    case severalRegions([String])

    package var description: String {
        switch self {
        case .noLookups: "the run has no lookups, so there is no rate to test; simulate more devices or time"
        case .severalRegions(let names):
            "servers of \(names.joined(separator: ", ")) are tested apart; simulate the devices of one region"
        case .noSpread(let count) where count < 2:
            "one run does not tell what another day's peak is; set replications.min and max to 5 or more"
        case .noSpread(let count):
            "all \(count) runs have the same peak, which does not tell that of another day; set"
                + " replications.min and max higher, or let devices browse by a profile"
        }
    }
}
