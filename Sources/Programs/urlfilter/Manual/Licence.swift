import CGSL
import CZlib
import CZstd
import CommandSupport
import Experiment
import Report
import Wording

/// Licences that `--licence` prints: ours, and that of every library in the two programs.
enum Licence {
    /// A library that Package.swift names, with its exact version; a test compares them.
    struct Library {
        let name: String
        let version: String
        let licence: String

        init(_ name: String, _ version: String, _ licence: String) {
            self.name = name
            self.version = version
            self.licence = licence
        }
    }

    private static let apache = "Apache-2.0"

    static let packages = [
        Library("async-http-client", "1.37.0", apache), Library("GRDB.swift", "7.10.0", "MIT"),
        Library("hummingbird", "2.28.1", apache), Library("swift-argument-parser", "1.8.2", apache),
        Library("swift-crypto", "4.5.2", apache), Library("swift-http-types", "1.8.0", apache),
        Library("swift-log", "1.16.2", apache), Library("swift-metrics", "2.13.0", apache),
        Library("swift-nio", "2.101.2", apache), Library("swift-nio-extras", "1.35.2", apache),
        Library("swift-nio-ssl", "2.37.6", apache), Library("swift-protobuf", "1.39.0", apache),
        Library("swift-service-lifecycle", "2.13.0", apache), Library("Yams", "6.2.2", "MIT"),
    ]

    /// Libraries of the system, as they are on this machine.
    private static func ofTheSystem() throws -> [Library] {
        [
            Library("GSL", String(cString: cgsl_version()), "GPL-3.0-or-later"),
            Library("SQLite", try ResultStore.sqliteVersion(), "public domain"),
            Library("zlib", String(cString: zlibVersion()), "Zlib"),
            Library("Zstandard", String(cString: ZSTD_versionString()), "BSD-3-Clause"),
        ]
    }

    static func text(width: Int) throws -> String {
        func paragraph(_ text: String) -> [String] { Format.wrapped(text, indent: "", width: width) + [""] }
        func table(_ libraries: [Library]) -> [String] {
            let columns = (libraries.map(\.name.count).max() ?? 0, libraries.map(\.version.count).max() ?? 0)
            return libraries.map {
                "  \(Format.left($0.name, columns.0))  \(Format.left($0.version, columns.1))  \($0.licence)"
            } + [""]
        }
        let lines =
            ["urlfilter \(Program.version), GPL-3.0-or-later", ""]
            + paragraph(
                "This is free software, with no warranty; 'urlfilter help licence' has the text. It is under the GNU "
                    + "General Public License because it links the GNU Scientific Library.")
            + ["Libraries of the system:"] + table(try ofTheSystem())
            + ["Swift packages, in one or both programs:"] + table(packages)
            + paragraph(
                "They bring packages of their own, all under Apache-2.0; swift-crypto and swift-nio-ssl have a copy of "
                    + "BoringSSL in them, which names the licences of its parts. The Swift runtime is under Apache-2.0 "
                    + "with its runtime library exception.")
        return lines.dropLast().joined(separator: "\n") + "\n"
    }
}
