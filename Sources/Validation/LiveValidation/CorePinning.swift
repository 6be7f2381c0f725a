import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// Which cores threads may run on, so that the PIR server's core is nobody else's. Linux only.
package enum CorePinning {
    /// The last core that this process may use is for the PIR server; all threads that there are go to the others, and
    /// those that they start inherit it.
    ///
    /// - Returns: The PIR server's core, and how many others there are; `nil` where that cannot be done.
    package static func separate() -> (pirCore: Int, others: Int)? {
        #if canImport(Glibc)
            let cores = allowed()
            guard cores.count >= 2, let last = cores.last else { return nil }
            let others = Array(cores.dropLast())
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            for thread in threads.compactMap({ pid_t($0) }) { _ = pin(thread, to: others) }
            guard pin(0, to: others) else { return nil }
            return (last, others.count)
        #else
            return nil
        #endif
    }

    /// Lets the calling thread run on one core only.
    package static func pinThisThread(to core: Int) {
        #if canImport(Glibc)
            _ = pin(0, to: [core])
        #endif
    }

    #if canImport(Glibc)
        /// `sched_getaffinity` and `sched_setaffinity`: glibc's headers show them to C with GNU extensions only.
        private typealias Affinity = @convention(c) (pid_t, Int, UnsafeMutableRawPointer) -> Int32

        private static func affinity(_ name: String) -> Affinity? {
            dlsym(nil, name).map { unsafeBitCast($0, to: Affinity.self) }
        }

        /// Bytes of a set of cores, one bit for each: glibc's `cpu_set_t`.
        private static let setBytes = 128

        private static func allowed() -> [Int] {
            var set = [UInt8](repeating: 0, count: setBytes)
            guard let get = affinity("sched_getaffinity"), get(0, setBytes, &set) == 0 else { return [] }
            return (0..<setBytes * 8).filter { set[$0 / 8] & 1 << UInt8($0 % 8) != 0 }
        }

        /// - Parameter thread: 0 for the calling one.
        private static func pin(_ thread: pid_t, to cores: [Int]) -> Bool {
            var set = [UInt8](repeating: 0, count: setBytes)
            for core in cores where core / 8 < setBytes { set[core / 8] |= 1 << UInt8(core % 8) }
            return affinity("sched_setaffinity").map { $0(thread, setBytes, &set) == 0 } ?? false
        }
    #endif
}
