import Foundation

/// A machine and a build, as far as they decide about speed.
package struct Machine: Codable, Hashable, Sendable {
    package var processor: String
    package var cores: Int
    package var system: String
    package var compiler: String
    package var build: String

    package init(processor: String, cores: Int, system: String, compiler: String, build: String) {
        self.processor = processor
        self.cores = cores
        self.system = system
        self.compiler = compiler
        self.build = build
    }

    /// Of this program, whichever of its executables runs.
    package static let programVersion = "0.1.0"

    /// All of it in one line.
    package var summary: String {
        [processor, "\(cores) cores", system, compiler, build].joined(separator: ", ")
    }

    /// The machine and build that run this code.
    package static var current: Machine {
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model =
            information.split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":", maxSplits: 1).last.map { $0.trimmingCharacters(in: .whitespaces) }
        #if DEBUG
            let build = "debug"
        #else
            let build = "release"
        #endif
        return Machine(
            processor: model ?? "unknown processor", cores: ProcessInfo.processInfo.processorCount,
            system: ProcessInfo.processInfo.operatingSystemVersionString,
            compiler: "Swift \(compilerVersion)", build: build)
    }

    private static var compilerVersion: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "before 6.3"
        #endif
    }
}
