import Decoding
import DeviceFleet
package import FleetModel
import URLFilter

/// Instants as rows of device, wait and nanoseconds.
extension DeviceInstants {
    package static let header = ["device", "wait", "nanoseconds"]

    /// Largest number of a device.
    private static let largestDevice = 1 << 31

    /// Most bytes of a log: a row has at most 44.
    static let largestFile = 44 * (ReplayLookups.waitEndLimit + 1)

    static func row(_ end: ReplayLookups.WaitEnd) -> [String] {
        ["\(end.device)", "\(end.wait)", "\(end.time)"]
    }

    /// - Parameter name: Of the file, for errors.
    package init(_ text: String, name: String) throws(LiveCSVError) {
        let lines = text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline)
        func problem(_ line: Int, _ reason: String) -> LiveCSVError {
            LiveCSVError(file: name, line: line + 1, reason: reason)
        }
        guard let first = lines.first, first.split(separator: ",").map(String.init) == Self.header else {
            throw problem(0, "the columns must be \(Self.header.joined(separator: ","))")
        }
        guard lines.count - 1 <= ReplayLookups.waitEndLimit else {
            throw problem(ReplayLookups.waitEndLimit, "more rows than \(ReplayLookups.waitEndLimit)")
        }
        var ends: [End] = []
        for (number, line) in lines.enumerated().dropFirst() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            guard cells.count == Self.header.count else {
                throw problem(number, "it has \(cells.count) cells, not \(Self.header.count)")
            }
            guard let device = Int(cells[0]), (0...Self.largestDevice).contains(device) else {
                throw problem(
                    number, "device: \(ForeignText.quoted(Array(cells[0].utf8))) is no number of one")
            }
            guard let wait = ExchangeWait.allCases.first(where: { "\($0)" == cells[1] }) else {
                let names = ExchangeWait.allCases.map { "\($0)" }.joined(separator: ", ")
                throw problem(
                    number, "wait: one of \(names), not \(ForeignText.quoted(Array(cells[1].utf8)))")
            }
            guard let time = Nanoseconds(cells[2]) else {
                throw problem(
                    number, "nanoseconds: \(ForeignText.quoted(Array(cells[2].utf8))) is no whole number")
            }
            ends.append(End(device: device, wait: wait, time: time))
        }
        self.init(ends)
    }
}
