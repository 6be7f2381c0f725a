import AsyncHTTPClient
import Decoding
package import DeviceFleet
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
package import ObliviousHTTP

/// Plain HTTP calls over kept connections: HTTP/2 where TLS negotiates it, else HTTP/1.1.
///
/// Call ``shutdown()`` before the last reference goes.
package final class HTTPCaller: HTTPCalls {
    package struct Settings: Sendable {
        /// Seconds from the call to the last byte of the answer. 60 s, as the fleet model's `exchangeTimeout`
        /// (assumption).
        package var timeoutSeconds = 60.0
        /// HTTP/1.1 connections to one host. A fleet of devices does not share a few, so there are many.
        package var connections = 512
        /// Longest body that is read, as the example server's upload limit.
        package var maximumBodyBytes = BinaryHTTPLimits.standard.messageBytes
        /// PEM file with certificates to trust besides the system's.
        package var trustedCertificates: String?

        package init() {}
    }

    /// Bytes of a file of certificates; a system's own has some 200 kB.
    private static let longestCertificates = 4 << 20

    private let client: HTTPClient
    private let settings: Settings

    package init(_ settings: Settings = Settings()) throws(AddressError.Certificates) {
        self.settings = settings
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.connections
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout = .init(connect: .seconds(5))
        if let path = settings.trustedCertificates {
            var tls = TLSConfiguration.makeClientConfiguration()
            do {
                let pem = try InputDescriptor.contents(of: path, limit: Self.longestCertificates)
                guard pem.count <= Self.longestCertificates else {
                    throw AddressError.Certificates(path: path)
                }
                tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMBytes(pem))]
            } catch {
                throw AddressError.Certificates(path: path)
            }
            configuration.tlsConfiguration = tls
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    package func shutdown() async { try? await client.shutdown() }

    /// - Throws: ``ExchangeError`` only.
    package func call(
        _ method: String, _ url: String, fields: [BinaryHTTPField], body: [UInt8]
    ) async throws(ExchangeError) -> HTTPReply {
        do {
            var request = try HTTPClient.Request(url: url, method: HTTPMethod(rawValue: method))
            for field in fields {
                request.headers.add(name: field.name, value: field.text ?? "")
            }
            if method == "POST" { request.body = .bytes(body) }
            let reader = ResponseAccumulator(request: request, maxBodySize: settings.maximumBodyBytes)
            // The deadline is that of the last byte: with the calls for streams it ends with the head of the answer,
            // and a peer that sends a byte now and then has all the time it wants.
            let timeout = TimeAmount.nanoseconds(.seconds(settings.timeoutSeconds))
            let task = client.execute(request: request, delegate: reader, deadline: .now() + timeout)
            let response = try await withTaskCancellationHandler {
                try await task.futureResult.get()
            } onCancel: {
                task.fail(reason: CancellationError())
            }
            return HTTPReply(
                status: Int(response.status.code),
                fields: response.headers.map { BinaryHTTPField($0.name.lowercased(), $0.value) },
                body: response.body.map { Array($0.readableBytesView) } ?? [],
                isHTTP2: response.version.major >= 2)
        } catch {
            throw ExchangeError(error, timeout: settings.timeoutSeconds)
        }
    }
}

extension AddressError {
    /// A file of trusted certificates that cannot be used.
    package struct Certificates: InputFault, Hashable, CustomStringConvertible {
        package let path: String
        package var description: String { "\(path): there are no PEM certificates that can be read" }
    }
}

extension ExchangeError {
    fileprivate init(_ error: any Error, timeout: Double) {
        switch error {
        case let error as HTTPClientError:
            switch error {
            case .deadlineExceeded, .readTimeout, .writeTimeout, .connectTimeout,
                .getConnectionFromPoolTimeout,
                .tlsHandshakeTimeout:
                self = .timedOut(seconds: timeout)
            default: self = .unreachable(error.shortDescription)
            }
        case let error as IOError: self = .unreachable(String(cString: strerror(error.errnoCode)))
        case is ResponseAccumulator.ResponseTooBigError: self = .unusable("its body is longer than accepted")
        case is CancellationError: self = .unreachable("the call was given up")
        default: self = .unreachable("\(error)".split(separator: "\n").first.map(String.init) ?? "unknown")
        }
    }
}
