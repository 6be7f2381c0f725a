import Experiment
import Questions
import Report

/// The page of a result directory, with everything that was kept there.
enum ResultPage {
    /// - Parameter path: Of the directory, or its `summary.json`.
    static func render(_ result: RunResult, in path: String) throws -> String {
        ReportPage.render(
            result, manifest: ResultFile.manifest(path: path),
            alternatives: try ResultFile.alternatives(path: path))
    }
}
