package import DeviceFleet
import Wording

/// The terminal form of what an error comes from.
package enum SymptomPage {
    package static func render(_ symptoms: [DeviceSymptom]) -> String {
        symptoms.map { symptom in
            var lines = [symptom.sign]
            lines += field("cause", symptom.cause)
            for (number, step) in symptom.steps.enumerated() {
                lines += field(number == 0 ? "look at" : "", step)
            }
            lines += field("your logs", symptom.operatorLog) + field("source", symptom.source)
            return lines.joined(separator: "\n") + "\n"
        }
        .joined(separator: "\n")
    }

    private static func field(_ name: String, _ text: String) -> [String] {
        Format.wrapped(
            "  \(Format.left(name, 9))  \(text)", indent: String(repeating: " ", count: 13), width: 110)
    }
}

/// Causes of an error, by its symptoms. As JSON `urlfilter.symptoms/1`.
package struct SymptomResult: Codable, Hashable, Sendable {
    package static let schemaName = "urlfilter.symptoms/1"

    package var schema = Self.schemaName
    package var error: String
    package var symptoms: [DeviceSymptom]

    package init(error: String, symptoms: [DeviceSymptom]) {
        self.error = error
        self.symptoms = symptoms
    }
}
