import Decoding
package import Scenarios
import Statistics

/// How the points of a sweep follow from what is varied.
package enum SweepDesign: Codable, Hashable, Sendable {
    /// Every combination.
    case grid
    /// So many points of a Sobol sequence.
    case sobol(points: Int)
    /// Saltelli's design for first-order and total shares: `base * (settings + 2)` points.
    case sensitivity(base: Int)

    /// Rows that a sweep may have.
    package static let maximumRows = 100_000

    package var text: String {
        switch self {
        case .grid: "grid"
        case .sobol(let points): "Sobol sequence of \(points) points"
        case .sensitivity(let base): "Saltelli's design on a Sobol sequence, base \(base)"
        }
    }

    /// Sizes that a Sobol design may have: points, or the base of Saltelli's design, for so many settings.
    private func allowedSizes(settings: Int) -> ClosedRange<Int> {
        switch self {
        case .grid, .sobol: 1...Self.maximumRows
        case .sensitivity:
            SobolDesign.minimumBaseCount...(Self.maximumRows / (settings + 2))
        }
    }

    /// Refuses a design that cannot be made, before any of it is.
    private func check(settings count: Int) throws(SweepError) {
        let (size, dimensions): (Int, Int)
        switch self {
        case .grid: return
        case .sobol(let points): (size, dimensions) = (points, SobolSequence.maximumDimensions)
        case .sensitivity(let base): (size, dimensions) = (base, SobolSequence.maximumDimensions / 2)
        }
        guard (1...dimensions).contains(count) else { throw .tooManySettings(count, maximum: dimensions) }
        let allowed = allowedSizes(settings: count)
        guard allowed.contains(size) else { throw .sizeOutOfRange(self, settings: count, allowed: allowed) }
    }

    /// The value of every setting in each row.
    func rows(of settings: [VariedSetting]) throws(SweepError) -> [[String]] {
        try check(settings: settings.count)
        switch self {
        case .grid:
            var rows: [[String]] = [[]]
            for setting in settings {
                guard let values = setting.gridValues else {
                    throw .rangeWithoutStep(path: setting.path, text: setting.text)
                }
                guard rows.count * values.count <= Self.maximumRows else {
                    throw .tooManyPoints(maximum: Self.maximumRows)
                }
                rows = rows.flatMap { row in values.map { row + [$0] } }
            }
            return rows
        case .sobol(let count):
            let places = SobolSequence.points(count: count, dimensions: settings.count) ?? []
            return try Self.rows(at: places, of: settings)
        case .sensitivity(let base):
            let design = SobolDesign(dimensions: settings.count, baseCount: base)
            return try Self.rows(at: design?.points ?? [], of: settings)
        }
    }

    private static func rows(
        at places: [[Double]], of settings: [VariedSetting]
    ) throws(SweepError) -> [[String]] {
        for setting in settings {
            guard case .range(let range) = setting.values else { continue }
            guard case .none = range.spacing else {
                throw .stepWithSequence(path: setting.path, text: setting.text)
            }
        }
        return places.map { place in zip(settings, place).map { $0.value(at: $1) } }
    }
}

/// Why a sweep cannot be made of the settings it varies.
package enum SweepError: InputFault, Equatable, CustomStringConvertible {
    case rangeWithoutStep(path: String, text: String)
    case stepWithSequence(path: String, text: String)
    case tooManyPoints(maximum: Int)
    case tooManySettings(Int, maximum: Int)
    case sizeOutOfRange(SweepDesign, settings: Int, allowed: ClosedRange<Int>)
    case nothingVaries
    case twoDesigns
    case twice(path: String)
    /// A directory holds another sweep; each difference is a sentence.
    case otherQuestion(directory: String, differences: [String])
    case noSweep(directory: String)
    case inputChanged(file: String, directory: String)
    case chunksOfPrecision
    /// Single lookups are followed while they are simulated.
    case nothingToRecord(directory: String)
    case pointsToRecord(Int)
    case noLookups(ArchitectureChoice)
    case badWork(String, reason: String)

    package var description: String {
        switch self {
        case .rangeWithoutStep(let path, let text):
            "\(path): the range \(text) needs a step such as \(text):2, a count for a logarithmic one, or --sobol"
        case .stepWithSequence(let path, let text):
            "\(path): the range \(text) has a step or a count; a Sobol sequence chooses its own places, leave it out"
        case .tooManyPoints(let maximum):
            "the sweep has more than \(maximum) points; vary less, or use --sobol"
        case .tooManySettings(let count, let maximum):
            "\(count) settings are varied; this design takes 1...\(maximum)"
        case .sizeOutOfRange(let design, let settings, let allowed):
            "\(design.text): with \(settings) varied settings it must be in "
                + "\(allowed.lowerBound)...\(allowed.upperBound)"
        case .nothingVaries:
            "nothing is varied; write for example --vary services.pir.cores=2,4,8 or a group 'vary' in the scenario"
        case .twoDesigns: "one sweep is either a Sobol sequence or a sensitivity design; give one of the two"
        case .twice(let path): "\(path) is varied twice; give all its values at once"
        case .otherQuestion(let directory, let differences):
            "\(directory): holds the result of another question (\(differences.joined(separator: "; "))); choose"
                + " another directory, or replace a run of one point with --replace"
        case .noSweep(let directory): "\(directory): holds no run or sweep that could go on"
        case .inputChanged(let file, let directory):
            "\(directory): \(file) is missing here, or not what it was when the manifest was written; bring the"
                + " directory and its inputs under the same path, or write the manifest again in another directory"
        case .nothingToRecord(let directory):
            "\(directory): holds replications that are not simulated again, so --records and --timeline would miss"
                + " them; add --replace, or choose another directory"
        case .pointsToRecord(let points):
            "--records and --timeline follow the lookups of one run, and this sweep has \(points) points; choose one"
                + " with --set"
        case .noLookups(let architecture):
            "--records and --timeline follow lookups, and devices with architecture \(architecture.rawValue) send none;"
                + " leave them out"
        case .chunksOfPrecision:
            "replications.precision decides when a point is complete; leave --chunk out, or set it to null"
        case .badWork(let file, let reason): "\(file): \(reason)"
        }
    }
}
