import Crypto
import Decoding
package import Experiment
import Foundation
import Workload

/// Simulations of a plan that have ended, kept in a directory, so that an interrupted plan goes on where it was.
///
/// Each is under the hash of its question: settings, files and the program's version.
package struct PlanParts: Sendable {
    private let directory: String?

    /// - Parameter directory: Created at the first part; `nil`: nothing is kept.
    package init(directory: String?) { self.directory = directory }

    private func path(_ plan: SweepPlan, _ options: Preparation.Options, version: String) throws -> String? {
        guard let directory else { return nil }
        let question = try SweepQuestion(plan, options: options, version: version).json()
        let name = SHA256.hash(data: Data(question.utf8)).hexadecimal.prefix(32)
        return "\(directory)/part-\(name).json"
    }

    /// The result of a plan, from an earlier run or by making it now.
    ///
    /// - Parameter make: Of a run that was not interrupted.
    package func result(
        _ plan: SweepPlan, options: Preparation.Options, version: String,
        make: () async throws -> RunResult
    ) async throws -> RunResult {
        guard let directory, let path = try path(plan, options, version: version) else {
            return try await make()
        }
        if let data = FileManager.default.contents(atPath: path),
            let result = try? JSONReader.read(RunResult.self, from: data)
        {
            return result
        }
        let result = try await make()
        guard result.finished else { return result }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let data = try result.json()
        try AtomicFile.write(to: path, isPrivate: true) { try $0.write(data) }
        return result
    }
}
