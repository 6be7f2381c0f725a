import Foundation
import Questions
import Scenarios

extension DeployedPlan {
    /// Most bytes of a plan: that of a thousand combinations has some tens of millions.
    private static let mostBytes = 1 << 30

    /// Reads what `urlfilter capacity --output` wrote: the answer, and beside it the scenario of the bought servers
    /// and the load tests, if they are there.
    ///
    /// - Parameter path: The folder, or its `plan.json`.
    /// - Throws: ``ExportError``, or a ``ScenarioError`` of a file beside it.
    package init(path: String) throws {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        let file = exists && isFolder.boolValue ? "\(path)/plan.json" : path
        let folder =
            exists && isFolder.boolValue ? path : URL(fileURLWithPath: path).deletingLastPathComponent().path
        let result = try Self.read(file)
        let scenarioFile = "\(folder)/plan.yaml"
        let scenario =
            FileManager.default.fileExists(atPath: scenarioFile)
            ? try ScenarioResolver.resolve(ScenarioFile(path: scenarioFile)) : nil
        var tests: [String?: LoadTestPlan] = [:]
        for region in result.bestPoint?.plan?.regions ?? [] {
            let file = LoadTestPlan.path("\(folder)/load-test.yaml", of: region.name)
            if FileManager.default.fileExists(atPath: file) {
                tests[region.name] = try LoadTestPlan(path: file)
            }
        }
        try self.init(result, scenario: scenario) { tests[$0] }
    }

    private static func read(_ file: String) throws -> ServerPlanResult {
        let size = (try? FileManager.default.attributesOfItem(atPath: file)[.size]) as? Int ?? 0
        guard size <= mostBytes, let data = FileManager.default.contents(atPath: file) else {
            throw ExportError.notAPlan(file: file, reason: "it is not there, or not to be read")
        }
        let result: ServerPlanResult
        do {
            result = try JSONDecoder().decode(ServerPlanResult.self, from: data)
        } catch {
            throw ExportError.notAPlan(
                file: file, reason: "it has not the fields of \(ServerPlanResult.schema)")
        }
        guard result.schema == ServerPlanResult.schema else {
            throw ExportError.notAPlan(file: file, reason: "its schema is '\(result.schema)'")
        }
        return result
    }
}
