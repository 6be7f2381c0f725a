import Decoding
import Foundation
import Questions
import Scenarios
import Wording

/// Open or closed, by closed form: what an outage does with either policy, while it gets longer.
struct OutageAnswer: Encodable {
    /// Knobs of the page, as a user types them.
    struct Question: Decodable {
        var devices: String
        /// URLs that a device checks a day, and the busiest hour over the mean one.
        var urls: String
        var peak: String
        var listed: String
        var stray: String
        var asked: String
        var length: String
        /// `everything`, `region` or `instance`, and of how many.
        var lost: String
        var of: String
        var detection: String
        var refetch: String
        /// Worth of a listed URL that gets through, in other URLs that are blocked; empty where nobody says.
        var worth: String?
    }

    struct Moment: Encodable {
        var seconds: Double
        /// Share of the devices of the lost servers without an answer.
        var failing: Double
    }

    var sentence: String
    var chosen: OutageHarm
    /// Outages of a minute to a day.
    var byLength: [OutageHarm]
    var course: [Moment]
    /// Other URLs that are blocked for each listed one: open is better if one of those is worth less.
    var blockedPerListed: Double?
    /// `open`, `closed`, or absent where nobody said what a listed URL is worth.
    var choice: String?
    /// Seconds until every device has answers again.
    var end: Double

    private static let lengths = (0...32).map { 60 * pow(1_440, Double($0) / 32) }
    private static let moments = 160

    init(_ question: Question) throws {
        let (law, visits, extent) = (
            try Self.law(question), try Self.visits(question), try Self.extent(question)
        )
        chosen = OutageHarm(law, visits, extent)
        byLength = Self.lengths.map { length in
            var other = law
            other.length = length
            return OutageHarm(other, visits, extent)
        }
        let last = law.end(extent)
        end = last
        course = (0...Self.moments).map { index in
            let time = last * 1.05 * Double(index) / Double(Self.moments)
            return Moment(seconds: time, failing: law.failing(time, extent))
        }
        blockedPerListed = visits.listedShare > 0 ? visits.strayShare / visits.listedShare : nil
        let worth = try Knob.given(question.worth).map {
            try Knob.number($0, "worth of a listed URL", in: 0...1e9, like: "10")
        }
        if let worth, let blockedPerListed {
            choice = worth == blockedPerListed ? nil : worth < blockedPerListed ? "open" : "closed"
        }
        sentence =
            "\(Format.duration(law.length)) without servers: open lets "
            + "\(Self.figure(chosen.leaked, "listed URL")) through; closed blocks "
            + "\(Self.figure(chosen.blocked, "other URL"))."
    }

    static func law(_ question: Question) throws -> OutageLaw {
        var law = try OutageLaw.usual
        law.length = try Knob.seconds(question.length, "length of the outage", in: 1...2_592_000)
        law.detection = try Knob.seconds(question.detection, "until a health check sees it", in: 0...86_400)
        law.refetch = try Knob.seconds(question.refetch, "fetch of the configuration", in: 1...2_592_000)
        return law
    }

    static func extent(_ question: Question) throws -> OutageHarm.Extent {
        let count = try Knob.count(question.of, "of how many", in: 1...10_000)
        return switch question.lost {
        case "everything": .everything
        case "region" where count == 1: .everything
        case "region": .region(of: count)
        case "instance": .instance(of: count)
        default: throw WorkbenchRefusal(422, "lost: write everything, region or instance")
        }
    }

    static func visits(_ question: Question) throws -> OutageHarm.Visits {
        func share(_ text: String, _ name: String) throws -> Double {
            try Knob.number(text, name, in: 0...1, like: "0.1%, 1/1000 or 0.001")
        }
        let perDay = try Knob.number(question.urls, "URLs a day", in: 0...1e7, like: "1500")
        let peak = try Knob.number(question.peak, "busiest hour", in: 0...24, like: "2")
        return OutageHarm.Visits(
            devices: try Knob.count(question.devices, "devices", in: 1...10_000_000_000),
            urlsPerDeviceHour: perDay / 24 * peak,
            listedShare: try share(question.listed, "listed URLs"),
            strayShare: try share(question.stray, "false hits"),
            askedShare: try share(question.asked, "hits that no cache answers"))
    }

    private static func figure(_ value: Double, _ noun: String) -> String {
        value >= 10
            ? Format.count(Int(saturating: value.rounded()), noun)
            : "\(Format.number(value)) \(noun)s"
    }
}
