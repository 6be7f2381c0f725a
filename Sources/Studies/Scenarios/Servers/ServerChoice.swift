import Decoding
package import FleetModel
package import Foundation
package import PrivateInformationRetrieval
import URLFilter
import Workload

/// Whose PIR server and issuer a scenario has.
package enum ServerChoice: Sendable {
    case described(ServerDescription)
    /// Another scheme, modelled from its paper's figures, at servers that do all else as ours.
    case modelled(PIRScheme)

    static let workbenchName = "workbench"
    /// Longer files are refused unread.
    private static let maximumByteCount = 1 << 20

    /// The servers, but for the time of an answer of another scheme.
    package var description: ServerDescription {
        if case .described(let server) = self { server } else { .workbench }
    }

    /// The description of a server that is not ours.
    package var other: ServerDescription? { description.isOurs ? nil : description }

    /// `nil` for a server that was measured.
    package var scheme: PIRScheme? { if case .modelled(let scheme) = self { scheme } else { nil } }

    /// How ours keeps keys when it is really run.
    package var keys: EvaluationKeyForm { description.keyParsing?.at == .atEveryQuery ? .bytes : .ready }

    /// The costs of this machine with that server.
    package func costs(_ measured: CostProfile, path: String) throws(ProfileError) -> CostProfile {
        if let server = measured.server, server.name != ServerIdentity.workbench {
            guard scheme == nil, description == .workbench else {
                throw .otherServer(path, name: server.name)
            }
            return measured
        }
        switch self {
        case .described(let server):
            guard let costs = measured.served(by: server) else {
                throw .unreadable(path, "an older version measured no keys kept as bytes; measure it again")
            }
            return costs
        case .modelled(let scheme):
            return measured.answered(by: scheme, entries: measured.subject.entries * measured.subject.shards)
        }
    }

    /// - Parameter path: Named if the file cannot be used.
    package static func decode(_ data: Data, path: String) throws(ProfileError) -> ServerDescription {
        let server: ServerDescription
        do {
            server = try JSONReader.read(ServerDescription.self, from: data)
        } catch {
            let reason = (error as? DecodingError)?.sentence ?? "\(error)"
            throw .unusableServer(
                path,
                "\(reason); it must be a description of a server, schema \(ServerDescription.schema), and a"
                    + " cost profile belongs into services.pir.profile")
        }
        if let problem = server.problem { throw .unusableServer(path, problem) }
        if let field = (try? JSONReader.unreadField(in: data, of: server)) ?? nil {
            throw .unusableServer(
                path,
                "\(field): there is no such field; article \"PIR protocol\", section \"Other servers\", has them"
                    + " all")
        }
        return server
    }

    static func read(_ path: String) throws(ProfileError) -> ServerDescription {
        guard let data = try? InputBytes.read(path, limit: maximumByteCount), data.count <= maximumByteCount
        else { throw .unusableServer(path, "it cannot be read, or is larger than \(maximumByteCount) bytes") }
        return try decode(data, path: path)
    }
}

package enum ProfileError: InputFault, Equatable, CustomStringConvertible {
    case unreadable(String, String)
    case unusableServer(String, String)
    /// - Parameter measured: Options of `measure` that make the one that is needed.
    case otherSubject(String, found: String, needed: String, measured: String)
    /// The profile is of a server that is not ours.
    case otherServer(String, name: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let why): "\(path): not a usable cost profile: \(why)"
        case .unusableServer(let path, let why): "\(path): not a usable description of a server: \(why)"
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
