/// An error that people who set a filter up meet, and what it comes from (article "Device", section "Error
/// signatures").
package struct DeviceSymptom: Codable, Hashable, Sendable {
    package enum Kind: String, CaseIterable, Codable, Sendable {
        case badGatewayKey, noRelay, relayWithoutGateway, sizeCap, answerCap, accessDenied, forbidden
        case setUpIncomplete, tokenRefused, tokenKeyUnreachable, usecaseMissing, issuerKeysChanged
        case evaluationKeyLost, configurationTooOld, timedOut, hostNotFound, certificate
    }

    package var kind: Kind
    package var sign: String
    package var cause: String
    /// Things to look at, the first thing first.
    package var steps: [String]
    /// Sign that the operator's own servers show meanwhile.
    package var operatorLog: String
    package var source: String

    init(_ kind: Kind) {
        self.kind = kind
        sign = kind.sign
        cause = kind.cause
        steps = kind.steps
        operatorLog = kind.operatorLog
        source = kind.source
    }

    /// Those that an error's text fits, those with the most signs in it first. A nested error has several.
    package static func all(in text: String) -> [DeviceSymptom] {
        let words = SymptomText(text)
        let fitting = Kind.allCases.compactMap { kind -> (kind: Kind, weight: Int)? in
            let weight = kind.weight(in: words)
            return weight > 0 ? (kind, weight) : nil
        }
        let order = fitting.enumerated().sorted {
            ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset)
        }
        return order.map { DeviceSymptom($0.element.kind) }
    }

    /// Signs that the table knows, for somebody whose error is not in it.
    package static var known: [String] { Kind.allCases.map(\.sign) }
}

/// The text of an error, as a log or a report has it.
struct SymptomText {
    private let text: String
    /// Whole numbers, with their sign.
    private let numbers: Set<Int>

    init(_ text: String) {
        self.text = text.lowercased()
        var numbers: Set<Int> = []
        var digits = ""
        for character in text + " " {
            if character.isASCII, character.isNumber || (character == "-" && digits.isEmpty) {
                digits.append(character)
            } else {
                if let number = Int(digits) { numbers.insert(number) }
                // A hyphen behind a number is no sign.
                digits = character == "-" && digits.isEmpty ? "-" : ""
            }
        }
        self.numbers = numbers
    }

    func has(_ words: String...) -> Bool { words.contains { text.contains($0) } }

    func has(_ number: Int) -> Bool { numbers.contains(number) }
}

extension DeviceSymptom.Kind {
    /// How many signs of it the text has; 0 without the one that it needs.
    fileprivate func weight(in text: SymptomText) -> Int {
        func count(_ signs: Bool...) -> Int { signs.count { $0 } }
        let isProxy = text.has("proxy-status", "proxy_internal_response", "proxy_internal_error")
        switch self {
        case .badGatewayKey: return text.has(-1000) ? 2 + count(text.has("posix") && text.has(22)) : 0
        case .noRelay:
            return text.has(-1009)
                ? 2
                    + count(
                        text.has("posix") && text.has(50), text.has("privacyproxy"),
                        text.has("network is down"))
                : count(text.has("_nsurlerrorprivacyproxyfailurekey"))
        case .relayWithoutGateway: return text.has(504) ? 2 + count(isProxy) : 0
        case .sizeCap: return text.has(413) ? 2 + count(isProxy, text.has("/key")) : 0
        case .answerCap: return text.has("connection lost") || text.has(-1005) ? 1 : 0
        case .accessDenied: return text.has("access denied") ? 3 : 0
        case .forbidden: return text.has(403) && !text.has("access denied") ? 2 : 0
        case .setUpIncomplete:
            return text.has("serversetupincomplete")
                ? 2 + count(text.has(1800))
                : text.has("neurlfiltermanager", "neurlfilter") && text.has(9)
                    ? 2 : count(text.has("neagenturlfiltererrordomain") && text.has(3), text.has(1800))
        case .tokenRefused:
            return text.has(1100) ? 1 + count(text.has("failed to fetch token", "fetch token")) : 0
        case .tokenKeyUnreachable: return text.has("failed to fetch token key") ? 3 : 0
        case .usecaseMissing:
            return text.has("missing configuration") ? 3 : count(text.has("cipherml") && text.has(401))
        case .issuerKeysChanged: return text.has("no token key found") ? 3 : 0
        case .evaluationKeyLost: return text.has("evaluation key not found") ? 3 : 0
        case .configurationTooOld: return text.has(410) ? 2 : 0
        case .timedOut: return text.has(-1001) || text.has("timed out") ? 2 : 0
        case .hostNotFound: return text.has(-1003) ? 2 : 0
        case .certificate: return text.has(-1200) || text.has(-1202) ? 2 : 0
        }
    }
}
