import Experiment
import FleetModel
import Wording

extension Format {
    /// Whose server was simulated, and how its costs are known.
    static func server(_ server: ServerIdentity) -> String {
        var text = "\(server.name), \(server.version)"
        guard let ratio = server.lookupRatio else { return text }
        text += "; modelled: a lookup takes \(number(ratio.value))"
        if let low = ratio.low, let high = ratio.high { text += " (\(number(low)) to \(number(high)))" }
        text += " times the CPU of \(ServerIdentity.workbench)"
        return server.obtained.map { text + ": " + $0 } ?? text
    }

    /// Only whose it was, and whether that is known by ratios.
    static func serverBriefly(_ server: ServerIdentity) -> String {
        guard let ratio = server.lookupRatio else { return "of \(server.name)" }
        return
            "of \(server.name), modelled: \(number(ratio.value)) times \(ServerIdentity.workbench) a lookup"
    }

    /// How much the servers of a run may be faster or slower than the profile's machine was, and how that is known.
    static func drift(_ speed: SpeedSummary) -> String {
        let calibrations = count(speed.calibrations, "calibration") + " on " + count(speed.days, "day")
        let kept = "\(speed.keptRuns) kept runs of another machine"
        let source =
            switch speed.measuredShare {
            case 0: "by default, the drift of \(kept); measure --calibrations knows this one's"
            case 1: "by \(calibrations)"
            default: "\(share(speed.measuredShare)) of it by \(calibrations), the rest by \(kept)"
            }
        return "a run differs by ±\(share(speed.daily)) (standard deviation) from the profile, \(source)"
    }
}
