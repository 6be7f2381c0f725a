import Experiment
import Foundation
import Scenarios
import TestSupport
import Testing

/// The files that a scenario names, as people read them.
@Suite struct ScenarioPathTests {
    private static let text = """
        duration: 1h
        blocklist: { file: ../lists/./bad.txt }
        devices: [{ name: homes, count: 2 }]
        """

    @Test func aPathHasNoDetours() throws {
        let folder = try TemporaryFolder()
        for name in ["scenarios", "lists"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
        }
        let path = try folder.write(Self.text, to: "scenarios/s.yaml")
        func file() throws -> String { try ScenarioResolver.resolve(ScenarioFile(path: path)).blocklist.file }
        // Whether the list is there or not.
        #expect(try file() == folder.path + "/lists/bad.txt")
        try folder.write("bad.example\n", to: "lists/bad.txt")
        #expect(try file() == folder.path + "/lists/bad.txt")
    }

    /// Behind a link `..` is the folder above its target.
    @Test func aPathThroughALinkStaysWhatItIs() throws {
        let folder = try TemporaryFolder()
        for name in ["far/scenarios", "far/lists", "lists"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        }
        try folder.write(Self.text, to: "far/scenarios/s.yaml")
        try folder.write("far.example\n", to: "far/lists/bad.txt")
        try folder.write("near.example\n", to: "lists/bad.txt")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/here", withDestinationPath: "\(folder.path)/far/scenarios")
        let scenario = try ScenarioResolver.resolve(ScenarioFile(path: "\(folder.path)/here/s.yaml"))
        #expect(try String(contentsOfFile: scenario.blocklist.file, encoding: .utf8) == "far.example\n")
    }
}
