import Foundation
import Testing
import Workload

@Suite("OutputLock")
struct OutputLockTests {
    @Test("The second one is told of the first, until it lets go")
    func exclusion() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: ".lock").path
            let first = try OutputLock(path: path, for: "out")
            let held = OutputLockError.held("out", owner: getpid())
            #expect(throws: held) { try OutputLock(path: path, for: "out") }
            #expect(held.description.hasPrefix("out: is being written by process \(getpid()); "))
            first.release()
            #expect(!FileManager.default.fileExists(atPath: path))
            try OutputLock(path: path, for: "out").release()
        }
    }

    @Test("The file of a process that ended in any way locks nothing")
    func leftover() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: ".lock").path
            try Data("99999999\n".utf8).write(to: URL(filePath: path))
            let lock = try OutputLock(path: path, for: "out")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "\(getpid())\n")
            lock.release()
        }
    }

    @Test("A place that cannot be written is named")
    func impossible() {
        let error = #expect(throws: OutputLockError.self) {
            try OutputLock(path: "/no/such/.lock", for: "out")
        }
        #expect(error?.description == "out: cannot be locked: No such file or directory")
    }
}
