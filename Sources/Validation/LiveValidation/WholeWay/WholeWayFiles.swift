import Decoding
import DeviceFleet
import FleetModel
import Foundation
import URLFilter
import Workload

/// Files that a run leaves behind: every lookup, every exchange, the instants of the devices, what was done to the
/// servers, and all figures.
struct WholeWayFiles: Sendable {
    let folder: String

    init(folder: String) throws(InputError) {
        self.folder = folder
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .unwritable(path: folder, reason: "the folder cannot be made")
        }
    }

    private func write(_ rows: [[String]], _ header: [String], to name: String) throws {
        let text = ([header] + rows).map { $0.joined(separator: ",") + "\n" }.joined()
        try AtomicFile.write(to: "\(folder)/\(name).csv") { try $0.write(Data(text.utf8)) }
    }

    private static func number(_ value: Double) -> String { String(format: "%.6g", value) }
    private static func time(_ value: Double) -> String { String(format: "%.6f", value) }

    func write(simulations: [WholeWayTally], of run: String) throws {
        let rows = simulations.enumerated().flatMap { number, tally in
            WholeWayPlan.Phase.allCases.flatMap { phase in
                WholeWayQuantity.allCases.compactMap { quantity in
                    tally[phase, quantity].map {
                        ["\(number)", phase.rawValue, quantity.rawValue, Self.number($0)]
                    }
                }
            }
        }
        try write(rows, ["simulation", "phase", "quantity", "value"], to: "\(run)-simulations")
    }

    func write(_ calibration: WholeWayCalibration, of run: String) throws {
        let text = try JSONText.render(calibration)
        try AtomicFile.write(to: "\(folder)/\(run)-calibration.json") { try $0.write(text) }
    }

    func write(
        _ lookups: ReplayLookups, events: [(offset: Double, what: String)], plan: WholeWayPlan, of run: String
    ) throws {
        let rows = lookups.all.map { lookup in
            [
                Self.time(lookup.offset), plan.phase(at: lookup.offset).rawValue, Self.time(lookup.latency),
                Self.time(lookup.lateness), lookup.verdict.rawValue, lookup.isListed ? "yes" : "no",
                lookup.failure?.words ?? "",
            ]
        }
        try write(
            rows, ["start", "phase", "latency", "lateness", "verdict", "listed", "cause"],
            to: "\(run)-lookups")
        let exchanges = lookups.exchanges.map { exchange in
            [
                Self.time(exchange.offset), plan.phase(at: exchange.offset).rawValue,
                exchange.endpoint.rawValue, Self.time(exchange.seconds), exchange.failure ?? "",
            ]
        }
        try write(exchanges, ["start", "phase", "endpoint", "seconds", "failure"], to: "\(run)-exchanges")
        try write(lookups.waitEnds.map(DeviceInstants.row), DeviceInstants.header, to: "\(run)-instants")
        try write(events.map { [Self.time($0.offset), $0.what] }, ["time", "event"], to: "\(run)-events")
    }

    /// The instants of a run as its file has them, so that what is replayed is what can be replayed later.
    func instants(of run: String) throws -> DeviceInstants {
        let path = "\(folder)/\(run)-instants.csv"
        let data = try InputBytes.read(path, limit: DeviceInstants.largestFile)
        guard data.count <= DeviceInstants.largestFile else {
            throw InputError.tooLarge(name: path, limit: DeviceInstants.largestFile)
        }
        return try DeviceInstants(String(decoding: data, as: UTF8.self), name: path)
    }

    /// - Parameter name: Of the file.
    func write(_ figures: [WholeWayFigure], to name: String) throws {
        let rows = figures.map { figure in
            [
                figure.balancing, figure.phase.rawValue, figure.quantity.rawValue,
                figure.seen.map(Self.number) ?? "", Self.number(figure.predicted.value),
                Self.number(figure.predicted.low), Self.number(figure.predicted.high),
                figure.seen == nil ? "" : figure.passed ? "yes" : "no",
            ]
                + (figure.replayed.map { [$0.value, $0.low, $0.high].map(Self.number) } ?? ["", "", ""])
        }
        try write(
            rows,
            [
                "balancing", "phase", "quantity", "seen", "predicted", "low", "high", "passed", "replayed",
                "replayed low", "replayed high",
            ], to: name)
    }
}
