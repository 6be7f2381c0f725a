import Decoding
import Foundation
import NIOSSL

extension TLSConfiguration {
    /// Agrees on HTTP/2, or HTTP/1.1 with clients that cannot.
    init(serverFiles files: LiveStackOptions.TLSFiles) throws(LiveStackError) {
        let chain = try Self.read(files.certificatePath, wanted: "certificate in PEM form") {
            try NIOSSLCertificate.fromPEMBytes($0)
        }
        let key = try Self.read(files.privateKeyPath, wanted: "private key in PEM form without a passphrase")
        {
            try NIOSSLPrivateKey(bytes: $0, format: .pem)
        }
        self = .makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        applicationProtocols = ["h2", "http/1.1"]
        minimumTLSVersion = .tlsv12
        do {
            // Only who uses both sees whether they belong together.
            _ = try NIOSSLContext(configuration: self)
        } catch {
            throw .unusableTLSFile(
                files.privateKeyPath,
                reason: "it is not the key of the certificate in \(files.certificatePath)")
        }
    }

    /// Bytes of a chain or a key: assumption, chains have some 10 kB.
    private static let longestFile = 1 << 20

    private static func read<Content>(
        _ path: String, wanted: String, _ read: ([UInt8]) throws -> Content
    ) throws(LiveStackError) -> Content {
        let bytes: [UInt8]
        do throws(InputDescriptor.Fault) {
            bytes = try InputDescriptor.contents(of: path, limit: longestFile)
        } catch {
            throw .unusableTLSFile(path, reason: error.description)
        }
        guard bytes.count <= longestFile else {
            throw .unusableTLSFile(path, reason: "it is larger than \(longestFile) bytes")
        }
        do {
            return try read(bytes)
        } catch {
            throw .unusableTLSFile(path, reason: "there is no \(wanted) in it")
        }
    }
}
