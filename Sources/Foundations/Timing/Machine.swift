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

    /// Version of this program, whichever of its executables runs.
    package static let programVersion = "0.1.0"

    /// All of it in one line.
    package var summary: String {
        [processor, "\(cores) cores", system, compiler, build].joined(separator: ", ")
    }

    /// The machine and build that run this code.
    package static var current: Machine {
        #if DEBUG
            let build = "debug"
        #else
            let build = "release"
        #endif
        return Machine(
            processor: processorName ?? "unknown processor", cores: ProcessInfo.processInfo.processorCount,
            system: ProcessInfo.processInfo.operatingSystemVersionString,
            compiler: "Swift \(compilerVersion)", build: build)
    }

    #if canImport(Darwin)
        private static var processorName: String? {
            let name = "machdep.cpu.brand_string"
            var byteCount = 0
            guard sysctlbyname(name, nil, &byteCount, nil, 0) == 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: byteCount)
            guard sysctlbyname(name, &bytes, &byteCount, nil, 0) == 0 else { return nil }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    #else
        private static var processorName: String? {
            (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)).flatMap(processorName(in:))
        }
    #endif

    /// The processor's name; on Arm, where Linux has none, the numbers of who made it and of its model.
    ///
    /// - Parameter information: Linux's `/proc/cpuinfo`.
    package static func processorName(in information: String) -> String? {
        func value(_ key: String) -> String? {
            information.split(separator: "\n").first { $0.hasPrefix(key) }?
                .split(separator: ":", maxSplits: 1).last.map { $0.trimmingCharacters(in: .whitespaces) }
        }
        if let name = value("model name") { return name }
        guard let implementer = value("CPU implementer"), let part = value("CPU part") else { return nil }
        return "Arm processor of implementer \(implementer), part \(part)"
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
