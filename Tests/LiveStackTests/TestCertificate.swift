import Foundation
import LiveStack
import TestSupport

/// A self-signed certificate of localhost, made for these tests; it protects nothing.
enum TestCertificate {
    static func withFiles<Result>(
        _ body: (LiveStackOptions.TLSFiles) async throws -> Result
    ) async throws -> Result {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        return try await body(
            LiveStackOptions.TLSFiles(
                certificatePath: folder.write(certificate, to: "certificate.pem"),
                privateKeyPath: folder.write(privateKey, to: "key.pem")))
    }

    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBmjCCAUGgAwIBAgIUaJa4PEkvHyxz+F+B5QdhHLX4NeUwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE3MzgwMloYDzIxMjYxMDI4
        MTczODAyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAATnRc0EfZ7Uf+yGb2PcK7ulSOprCz8ikbVEUaZwqS0zZfEgak0WZVis
        H4xtwleMzTV09HBYTUAfKNO3ioaAYAvgo28wbTAdBgNVHQ4EFgQUzwOrtkmb8XUU
        fEKp4w2cS4B3JAQwHwYDVR0jBBgwFoAUzwOrtkmb8XUUfEKp4w2cS4B3JAQwDwYD
        VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
        zj0EAwIDRwAwRAIgN8ARRXE7bkS/1y0QW5vZ/t7qBxTeoJ3H8KeZnPePyoICIBFI
        xfyBBECP1uq2dRbSi3na3phtVNJWNGBqO5J1G0uf
        -----END CERTIFICATE-----
        """

    private static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0o85brFKUAm27SCD
        c89kxx/QDe1AJMeM3QiuYiRVHZOhRANCAATnRc0EfZ7Uf+yGb2PcK7ulSOprCz8i
        kbVEUaZwqS0zZfEgak0WZVisH4xtwleMzTV09HBYTUAfKNO3ioaAYAvg
        -----END PRIVATE KEY-----
        """
}
