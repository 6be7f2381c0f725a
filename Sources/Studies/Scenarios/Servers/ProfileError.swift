import Decoding
import FleetModel

package enum ProfileError: InputFault, Equatable, CustomStringConvertible {
    case unreadable(String, String)
    case otherSubject(String, found: String, needed: String)
    /// The profile is of a server that is not ours.
    case otherServer(String, name: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let why): "\(path): not a usable cost profile: \(why)"
        case .otherServer(let path, let name):
            "\(path): the cost profile is of '\(name)'; leave out services.pir.implementation and keys, which start "
                + "from a profile of '\(ServerIdentity.workbench)'"
        case .otherSubject(let path, let found, let needed):
            "\(path): the cost profile was measured for \(found); the scenario needs \(needed)"
        }
    }
}
