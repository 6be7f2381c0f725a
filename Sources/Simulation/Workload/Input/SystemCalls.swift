import Foundation

/// Reason that the operating system gives for the last failed call.
func systemReason() -> String {
    String(cString: strerror(errno))
}

/// The place of a file that exists, without links on the way.
///
/// - Returns: `nil` if there is no such file.
package func realPath(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
}
