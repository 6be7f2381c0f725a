import Decoding
import Foundation

/// The files that a command reads and those it writes, so that no output destroys an input or another output.
///
/// Files are compared by device and inode, so that links and other spellings of a path are seen; one that does not
/// exist yet by its folder and name. To be filled before any work begins. A command whose only output is a file that
/// it has found missing, as a cost profile, needs none of this.
///
///     var files = FileRoles()
///     try files.reads(list, as: "the block list")
///     try files.writes(output, as: "--output")
package struct FileRoles {
    private struct Role {
        let name: String
        let isOutput: Bool
    }

    /// Identity that two paths of one file share.
    private enum Identity: Hashable {
        case inode(device: UInt64, number: UInt64)
        case name(String, inFolder: UInt64, device: UInt64)
    }

    private var roles: [Identity: Role] = [:]

    package init() {}

    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - name: What messages call it.
    package mutating func reads(_ path: String?, as name: String) throws(FileConflict) {
        try add(path, Role(name: name, isOutput: false), standardDescriptor: STDIN_FILENO)
    }

    /// - Parameter path: `-` for standard output.
    package mutating func writes(_ path: String?, as name: String) throws(FileConflict) {
        try add(path, Role(name: name, isOutput: true), standardDescriptor: STDOUT_FILENO)
    }

    /// Files of one role, for example those of a result directory.
    package mutating func writes(_ names: [String], in folder: String, as name: String) throws(FileConflict) {
        if folder.isEmpty { throw .noName(name) }
        for file in names { try writes("\(folder)/\(file)", as: name) }
    }

    private mutating func add(
        _ path: String?, _ role: Role, standardDescriptor: Int32
    ) throws(FileConflict) {
        if path == "" { throw .noName(role.name) }
        guard let path, let identity = Self.identity(of: path, standardDescriptor) else { return }
        guard let known = roles[identity] else { return roles[identity] = role }
        guard known.isOutput || role.isOutput, known.name != role.name else { return }
        let output = role.isOutput ? role : known
        let other = role.isOutput ? known : role
        throw other.isOutput
            ? .oneFile(path: path, first: other.name, second: output.name)
            : .outputIsInput(path: path, output: output.name, input: other.name)
    }

    /// - Returns: `nil` for what cannot be destroyed by writing it: a terminal, a socket, `/dev/null`.
    private static func identity(of path: String, _ standardDescriptor: Int32) -> Identity? {
        var status = stat()
        if (path == "-" ? fstat(standardDescriptor, &status) : stat(path, &status)) == 0 {
            guard [S_IFREG, S_IFDIR, S_IFIFO].contains(status.st_mode & S_IFMT) else { return nil }
            return .inode(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
        }
        let url = URL(fileURLWithPath: path)
        guard stat(url.deletingLastPathComponent().path, &status) == 0 else {
            return .name(url.standardizedFileURL.path, inFolder: 0, device: 0)
        }
        return .name(
            url.lastPathComponent, inFolder: UInt64(status.st_ino), device: UInt64(status.st_dev))
    }
}

/// A command that would write over what it reads, or twice into one file.
package enum FileConflict: InputFault, Equatable, CustomStringConvertible {
    case outputIsInput(path: String, output: String, input: String)
    case oneFile(path: String, first: String, second: String)
    case noName(String)

    package var description: String {
        switch self {
        case .outputIsInput(let path, let output, let input):
            "\(path): \(output) would destroy \(input), which is the same file; choose another name for \(output)"
        case .oneFile(let path, let first, let second):
            "\(path): \(first) and \(second) are one file; choose another name for one of them"
        case .noName(let role): "\(role): the name is empty"
        }
    }
}
