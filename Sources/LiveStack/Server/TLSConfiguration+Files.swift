import Foundation
import NIOSSL

extension TLSConfiguration {
    /// Agrees on HTTP/2, or HTTP/1.1 with clients that cannot.
    init(serverFiles files: LiveStackOptions.TLSFiles) throws(LiveStackError) {
        let chain = try Self.read(files.certificatePath, wanted: "certificate in PEM form") {
            try NIOSSLCertificate.fromPEMFile($0)
        }
        let key = try Self.read(files.privateKeyPath, wanted: "private key in PEM form without a passphrase")
        {
            try NIOSSLPrivateKey(file: $0, format: .pem)
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

    private static func read<Content>(
        _ path: String, wanted: String, _ read: (String) throws -> Content
    ) throws(LiveStackError) -> Content {
        guard access(path, R_OK) == 0 else {
            throw .unusableTLSFile(path, reason: String(cString: strerror(errno)))
        }
        do {
            return try read(path)
        } catch {
            throw .unusableTLSFile(path, reason: "there is no \(wanted) in it")
        }
    }
}
