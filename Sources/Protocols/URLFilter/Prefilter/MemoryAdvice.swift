import MemoryHints

#if canImport(Glibc)
    import Glibc
#endif

/// Advice about memory that is read or written at random places. It changes no result, only time.
enum MemoryAdvice {
    /// Starts to fetch an address that will be used soon.
    @inline(__always)
    static func prefetch(_ address: UnsafePointer<UInt8>) { mh_prefetch(address) }

    /// Asks for huge pages, as far as they fit into the memory. With pages of 4 KiB, most probes of a large
    /// prefilter would look up their page first, which can cost as much as the probe.
    static func useHugePages(_ memory: UnsafeMutableBufferPointer<UInt8>) {
        #if canImport(Glibc)
            let page = UInt(2) << 20
            guard let start = memory.baseAddress.map(UInt.init(bitPattern:)) else { return }
            let first = (start + page - 1) / page * page
            let end = (start + UInt(memory.count)) / page * page
            guard first < end else { return }
            _ = madvise(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), MADV_HUGEPAGE)
        #endif
    }
}
