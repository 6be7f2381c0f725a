import Decoding
import Foundation
package import Report
import Synchronization
import Wording
import Workload

/// Outlets for words: results go to standard output, everything else to standard error.
package enum Terminal {
    /// Makes the three standard descriptors safe to use. Has to come first in the program.
    ///
    /// One that the caller closed would be given to the next file that is opened, and messages would then be written
    /// into that file; so it is opened the wrong way round, and using it stays an error. A reader that went away, and
    /// a file at its limit of size, are errors of the write instead of signals that end the program.
    package static func prepare() {
        for (descriptor, mode) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ] where fcntl(descriptor, F_GETFD) == -1 { _ = open("/dev/null", mode) }
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    package static func complain(_ sentence: String) { writeError("urlfilter: \(shortened(sentence))\n") }

    package static func note(_ sentence: String) { writeError(shortened(sentence) + "\n") }

    /// Text for people, with paths below the working directory as they would type them.
    package static func shortened(_ text: String) -> String {
        let folder = FileManager.default.currentDirectoryPath
        return folder == "/" ? text : text.replacing(folder + "/", with: "")
    }

    package static func writeError(_ text: String) { MessageStream.standardError.write(text) }

    /// On a terminal that is narrower than the text its lines are broken where a reader would, and so where `COLUMNS`
    /// says how wide they may be.
    package static func print(_ text: String) throws(StandardOutputError) {
        let text = ForeignText.printable(text)
        try write((hasWidth ? FoldedText.render(text, width: width) : text).utf8)
    }

    /// Whether standard output has columns at all, as a file has none.
    private static var hasWidth: Bool { askedWidth != nil || isatty(STDOUT_FILENO) == 1 }

    /// An answer in as many columns as there are, as long as its lines are easy to read.
    package static func print(
        _ document: Document, at level: Document.Level
    ) throws(StandardOutputError) {
        try print(document.text(level, width: hasWidth ? min(width, Format.columns) : Format.columns))
    }

    /// Text whose lines mean something to programs, such as Markdown.
    package static func printUnbroken(_ text: String) throws(StandardOutputError) {
        try write(ForeignText.printable(text).utf8)
    }

    package static func write(_ bytes: some Collection<UInt8>) throws(StandardOutputError) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw errno == EPIPE ? .readerGone : .unwritable(reason: String(cString: strerror(errno)))
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Columns that `COLUMNS` asks for; `nil` where it does not.
    private static var askedWidth: Int? {
        guard let text = ProcessInfo.processInfo.environment["COLUMNS"], let count = Int(text), count > 0
        else { return nil }
        return min(max(count, 20), 120)
    }

    /// Columns for text: those of the terminal, at most 120, because longer lines are hard to read; 100 where there is
    /// none. `COLUMNS` decides before.
    package static var width: Int {
        if let askedWidth { return askedWidth }
        var size = winsize()
        let isKnown = [STDOUT_FILENO, STDERR_FILENO].contains {
            isatty($0) == 1 && ioctl($0, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        }
        return isKnown ? min(max(Int(size.ws_col), 20), 120) : 100
    }

    package static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

/// Why standard output takes no more.
package enum StandardOutputError: Error, Equatable, CustomStringConvertible {
    /// Early end of the reader, as in `urlfilter lint list.txt | head -1`: nothing went wrong, nobody wants the rest.
    case readerGone
    case unwritable(reason: String)

    package var description: String {
        switch self {
        case .readerGone: "nobody reads standard output any more"
        case .unwritable(let reason): "standard output cannot be written: \(reason)"
        }
    }
}
