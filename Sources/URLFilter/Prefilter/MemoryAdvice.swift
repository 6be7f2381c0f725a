#if canImport(MemoryHints)
    import MemoryHints
#endif

/// Advice about memory that is read or written at random places. It changes no result, only time; without the
/// module `MemoryHints` nobody listens.
enum MemoryAdvice {
    /// Starts to fetch an address that will be used soon.
    @inline(__always)
    static func prefetch(_ address: UnsafePointer<UInt8>) {
        #if canImport(MemoryHints)
            mh_prefetch(address)
        #endif
    }

    /// Asks for huge pages. With pages of 4 KiB, most probes of a large prefilter would look up their page
    /// first, which can cost as much as the probe.
    static func useHugePages(_ memory: UnsafeMutableBufferPointer<UInt8>) {
        #if canImport(MemoryHints)
            mh_advise_huge_pages(memory.baseAddress, memory.count)
        #endif
    }
}
