import ArgumentParser
import CommandSupport
import Experiment
import Report
import Scenarios
import Wording

/// The lookup rules of a fleet: one generation, or several with their shares of the devices.
struct RulesMix: CustomStringConvertible {
    /// Shares sum to 1.
    let parts: [(generation: RulesGeneration, share: Double)]

    init(_ generation: RulesGeneration) { parts = [(generation, 1)] }

    /// - Parameter text: `iOS27`, or `iOS27=80%,iOS26=20%`; shares as percentages or fractions.
    init(text: String) throws {
        var parts: [(generation: RulesGeneration, share: Double)] = []
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = item.split(separator: "=", maxSplits: 1).map(String.init)
            guard let choice = sides.first.flatMap(RulesChoice.init(argument:)),
                let generation = RulesGeneration(rawValue: choice.rawValue)
            else {
                let known = RulesGeneration.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("'\(item)' names no rules; there are \(known)")
            }
            guard let share = sides.count == 2 ? try? Quantity.share(sides[1]) : 1, share > 0 else {
                throw ValidationError("'\(item)': the share must be above 0 %, up to 100 %, such as 20%")
            }
            guard !parts.contains(where: { $0.generation == generation }) else {
                throw ValidationError("'\(generation.rawValue)' is named twice")
            }
            parts.append((generation, share))
        }
        let sum = parts.reduce(0) { $0 + $1.share }
        guard abs(sum - 1) < 1e-6 else {
            throw ValidationError("the shares of '\(text)' sum to \(sum * 100) %; they must sum to 100 %")
        }
        self.parts = parts
    }

    /// The mix as it is written, for example `80 % iOS27, 20 % iOS26`.
    var description: String {
        guard parts.count > 1 else { return parts[0].generation.rawValue }
        return parts.map { "\(Format.share($0.share)) \($0.generation.rawValue)" }.joined(separator: ", ")
    }
}
