import Foundation

/// Numbers that are of a type of their own on Linux.
enum SystemNumbers {
    #if canImport(Darwin)
        static let stream = SOCK_STREAM
        static let openFiles = RLIMIT_NOFILE
    #else
        static let stream = Int32(SOCK_STREAM.rawValue)
        static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
}
