import Foundation
import LiveStack
import Testing

/// Certificate and key that cannot be used: the message names the file.
struct TLSFileTests {
    private static func refusal(_ certificate: String, _ key: String) async -> String {
        var options = Fixture.options
        options.tls = .init(certificatePath: certificate, privateKeyPath: key)
        do {
            try await RunningStack.start(options) { .withoutDatabase }.stop()
            return "taken"
        } catch {
            return "\(error)"
        }
    }

    @Test func theFileIsNamed() async throws {
        try await TestCertificate.withFiles { files in
            let (certificate, key) = (files.certificatePath, files.privateKeyPath)
            #expect(await Self.refusal(certificate, key) == "taken")
            let folder = URL(fileURLWithPath: key).deletingLastPathComponent().path
            #expect(
                await Self.refusal(certificate, folder + "/none")
                    == "\(folder)/none: there is no such file")
            #expect(await Self.refusal(folder + "/none", key) == "\(folder)/none: there is no such file")
            let other = folder + "/other.pem"
            for text in ["", "no PEM"] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: other))
                #expect(
                    await Self.refusal(other, key) == "\(other): there is no certificate in PEM form in it")
                #expect(
                    await Self.refusal(certificate, other)
                        == "\(other): there is no private key in PEM form without a passphrase in it")
            }
            try Data(Self.otherKey.utf8).write(to: URL(fileURLWithPath: other))
            #expect(
                await Self.refusal(certificate, other)
                    == "\(other): it is not the key of the certificate in \(certificate)")
        }
    }

    /// Made for this test; it protects nothing.
    private static let otherKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgl9Taukoqrz/kC02E
        tbDElEkkQ50NNTQyjPINhZWPVxahRANCAAToD2hWdOfzFYd1a7DFB0587XaXdeym
        /Qnsn71Ib8QpgxhJRYD6t5O8bu71FapXTEt4VtPezerLA3I7CB4BwPBw
        -----END PRIVATE KEY-----
        """
}
