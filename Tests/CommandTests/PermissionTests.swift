import Foundation
import Testing

/// Who may read what a command writes: browsing, URLs and tokens only their owner.
struct PermissionTests {
    private func mode(_ name: String, _ inputs: SmallInputs) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(inputs.folder)/\(name)")
        return attributes?[.posixPermissions] as? Int
    }

    @Test func resultsAndTracesAreTheirOwners() async throws {
        try await withSmallInputs { inputs in
            for arguments in [
                inputs.run("--output", "out", "--timeline", "out/timeline.json"),
                inputs.run("--output", "sweep", "--vary", "services.pir.cores=1,2"),
                ["report", "out", "--html", "page.html"],
                [
                    "alternatives", "scenario.yaml", "--profile", "profile.json", "--only", "wholeList",
                    "--output", "others", "--chance-only",
                ],
                ["trace", "import", "trace.csv", "--output", "copy.jsonl"],
                [
                    "bloom", "build", "list.txt", "--output", "f.plist", "--raw", "f.bin", "--pir-data",
                    "f.txtpb",
                ],
            ] {
                let outcome = try await Program.run(arguments, on: inputs, prelude: "umask 022;")
                #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
            }
            #expect(inputs.exists("out/timeline.json"))
            for folder in ["out", "sweep", "others"] {
                #expect(mode(folder, inputs) == 0o700)
                for name in inputs.names(in: folder) {
                    #expect(mode("\(folder)/\(name)", inputs) == 0o600, "\(folder)/\(name)")
                }
            }
            for name in ["page.html", "copy.jsonl", "f.txtpb"] { #expect(mode(name, inputs) == 0o600) }
            // Prefilters are for every device.
            for name in ["f.plist", "f.bin"] { #expect(mode(name, inputs) == 0o644) }
        }
    }

    @Test func aTimelineThatCannotBeLeavesNoDirectory() async throws {
        try await withSmallInputs { inputs in
            let outcome = try await Program.run(
                inputs.run(
                    "--output", "out", "--timeline", "out/timeline.json", "--vary", "services.pir.cores=1,2"),
                on: inputs)
            #expect(outcome.status == 65, "\(outcome.errors)")
            #expect(!inputs.exists("out"))
        }
    }

    @Test func aStricterMaskAndThePermissionsOfAFileHold() async throws {
        try await withSmallInputs { inputs in
            try inputs.write("", to: "shared.csv")
            chmod(inputs.folder + "/shared.csv", 0o640)
            for name in ["own.csv", "shared.csv"] {
                let outcome = try await Program.run(
                    ["trace", "import", "trace.csv", "--output", name], on: inputs, prelude: "umask 0277;")
                #expect(outcome.status == 0)
            }
            #expect(mode("own.csv", inputs) == 0o400)
            #expect(mode("shared.csv", inputs) == 0o400)
            let shared = try await Program.run(
                ["trace", "import", "trace.csv", "--output", "shared.csv"], on: inputs, prelude: "umask 022;")
            #expect(shared.status == 0)
            #expect(mode("shared.csv", inputs) == 0o400)
        }
    }
}
