package import Experiment
import URLFilter
import Wording

/// The cause of the busiest second, in a clause.
package enum BusiestSecondText {
    package static func clause(_ second: BusiestSecond) -> String {
        let most = second.endpoints.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }
        let kinds =
            most.map { ", \(Format.percent(share($0.value, second))) of them /\($0.key.rawValue)" } ?? ""
        return "the most were \(Format.count(second.requests))\(kinds): \(cause(second))"
            + (second.setting.map { " (\($0))" } ?? "")
    }

    private static func share(_ count: Int, _ second: BusiestSecond) -> Double {
        (100 * Double(count) / Double(second.requests)).rounded() / 100
    }

    private static func cause(_ second: BusiestSecond) -> String {
        switch second.cause {
        case .fault: "the fleet after '\(second.fault ?? "a fault")'"
        case .launch: "devices that begin with nothing"
        case .edition: "the fleet after a new edition of the list"
        case .batch: "\(Format.count(second.largestBatch)) in a row from one device"
        case .many: "many devices at once, \(Format.count(second.largestBatch)) at most from one"
        }
    }
}
