import Decoding
package import FleetModel
package import Foundation
package import PrivateInformationRetrieval
import URLFilter
import Workload

/// Whose PIR server and issuer a scenario has, and how that keeps evaluation keys.
package enum ServerChoice: Sendable {
    case workbench(keys: EvaluationKeyForm)
    case other(ServerProfile)
    /// Another scheme, modelled from its paper's figures.
    case modelled(PIRScheme)

    static let workbenchName = "workbench"
    /// Longer files of ratios are refused unread.
    private static let maximumByteCount = 1 << 20

    /// The ratios, if it is not ours.
    package var profile: ServerProfile? { if case .other(let profile) = self { profile } else { nil } }

    /// `nil` for a server that was measured.
    package var scheme: PIRScheme? { if case .modelled(let scheme) = self { scheme } else { nil } }

    package var keys: EvaluationKeyForm { if case .workbench(let form) = self { form } else { .ready } }

    /// The costs of this machine with that server.
    package func costs(_ measured: CostProfile, path: String) throws(ProfileError) -> CostProfile {
        if let server = measured.server, server.name != ServerIdentity.workbench {
            guard case .workbench(.ready) = self else { throw .otherServer(path, name: server.name) }
            return measured
        }
        switch self {
        case .workbench(.ready): return measured
        case .workbench(.bytes):
            guard let costs = measured.withKeysAsBytes else {
                throw .unreadable(path, "an older version measured no keys kept as bytes; measure it again")
            }
            return costs
        case .other(let profile): return measured.served(by: profile)
        case .modelled(let scheme):
            return measured.answered(by: scheme, entries: measured.subject.entries * measured.subject.shards)
        }
    }

    /// Those whose ratios come with this program (article "PIR protocol", section "Other servers").
    package static let shipped: [String: ServerProfile] = [
        "apple-example": ServerProfile(
            name: "pir-service-example",
            version: "865bbcd on swift-homomorphic-encryption a791290, as shipped", obtained: sideBySide,
            cpu: [
                .queries: .init(7.1, 4.4...10), .key: .init(0.38, 0.35...0.40), .issue: .init(0.9),
                .config: .init(2.6), .directory: .init(1.9), .tokenKey: .init(0.8),
            ], evaluationKeyBytes: .init(0.32, 0.24...0.42), processing: processing,
            processingMemory: .init(1.3, 0.9...1.8)),
        "apple-example-tuned": ServerProfile(
            name: "pir-service-example",
            version: "865bbcd on swift-homomorphic-encryption a791290, cross-module optimisation and the "
                + "machine's instruction set",
            obtained: sideBySide + "; only queries were measured tuned",
            cpu: [
                .queries: .init(4.1, 3.0...4.4), .key: .init(0.38, 0.35...0.40), .issue: .init(0.9),
                .config: .init(2.6), .directory: .init(1.9), .tokenKey: .init(0.8),
            ], evaluationKeyBytes: .init(0.32, 0.24...0.42), processing: processing,
            processingMemory: .init(1.3, 0.9...1.8)),
    ]

    /// Processing ratio of the tool as shipped, in one thread: 4.7 to 5.2 at 50 000 rows, 6.5 to 7.2 at 200
    /// 000.
    private static let processing = ServerProfile.Ratio(5.8, 4.7...7.2)

    private static let sideBySide =
        "CPU time per request at the port, both servers on one machine in one hour, interleaved (2026-11-22)"

    /// - Parameter path: Named if the file cannot be used.
    package static func decode(_ data: Data, path: String) throws(ProfileError) -> ServerProfile {
        let profile: ServerProfile
        do {
            profile = try JSONReader.read(ServerProfile.self, from: data)
        } catch {
            let reason = (error as? DecodingError)?.sentence ?? "\(error)"
            throw .unreadable(
                path,
                "\(reason); it must be a file of ratios, schema \(ServerProfile.schema), and a cost "
                    + "profile belongs into services.pir.profile")
        }
        if let problem = profile.problem { throw .unreadable(path, problem) }
        return profile
    }

    static func read(_ path: String) throws(ProfileError) -> ServerProfile {
        guard let data = try? InputBytes.read(path, limit: maximumByteCount), data.count <= maximumByteCount
        else { throw .unreadable(path, "it cannot be read, or is larger than \(maximumByteCount) bytes") }
        return try decode(data, path: path)
    }
}

package enum ProfileError: InputFault, Equatable, CustomStringConvertible {
    case unreadable(String, String)
    /// - Parameter measured: Options of `measure` that make the one that is needed.
    case otherSubject(String, found: String, needed: String, measured: String)
    /// The profile is of a server that is not ours.
    case otherServer(String, name: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let why): "\(path): not a usable cost profile: \(why)"
        case .otherServer(let path, let name):
            "\(path): the cost profile is of '\(name)'; leave out services.pir.implementation and keys, which start "
                + "from a profile of '\(ServerIdentity.workbench)'"
        case .otherSubject(let path, let found, let needed, let measured):
            "\(path): the cost profile was measured for \(found); the scenario needs \(needed); name a"
                + " folder, which has one for each and gets what it lacks ('PROFILES/'), or measure it with 'urlfilter"
                + " measure LIST \(measured) --output FILE'"
        }
    }
}
