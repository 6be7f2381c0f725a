import CommandSupport
import Foundation
import Synchronization
import Workbench

/// Folder and page that a path on the command line means.
struct OpenedPath {
    let folder: OpenedFolder
    /// Behind the session in the address.
    let page: String

    /// - Parameter path: A folder, a scenario, or the directory of a result.
    init(_ path: String) throws {
        let place = URL(fileURLWithPath: path).standardizedFileURL
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: place.path, isDirectory: &isDirectory) else {
            throw UnusableInput(path, "there is no such file or folder")
        }
        let isResult = FileManager.default.fileExists(atPath: place.path + "/summary.json")
        guard !isDirectory.boolValue || isResult else {
            folder = try OpenedFolder(path: place.path)
            page = ""
            return
        }
        if !isDirectory.boolValue, !["yaml", "yml"].contains(place.pathExtension) {
            throw UnusableInput(path, "is no scenario (.yaml), no result and no folder")
        }
        folder = try OpenedFolder(path: place.deletingLastPathComponent().path)
        let name =
            place.lastPathComponent.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            ?? place.lastPathComponent
        page = (isResult ? "/result/" : "/scenario/") + name
    }
}

/// Base URL, which is known when the server runs.
final class AddressBox: Sendable {
    private let value = Mutex("")

    var text: String { value.withLock { $0 } }

    func set(_ text: String) { value.withLock { $0 = text } }
}

/// The browser of this desktop, if there is one.
enum Browser {
    static func open(_ address: String) {
        let names = ["/usr/bin/open", "/usr/bin/xdg-open"]
        guard let program = names.first(where: FileManager.default.isExecutableFile(atPath:)) else { return }
        let environment = ProcessInfo.processInfo.environment
        let hasScreen =
            program.hasSuffix("/open") || environment["DISPLAY"] ?? environment["WAYLAND_DISPLAY"] != nil
        guard hasScreen else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [address]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // The address is on the terminal, too.
        try? process.run()
    }
}
