import Decoding
import Foundation
import ObliviousHTTP
import Parties
import PrivacyPass
import PrivateInformationRetrieval
import URLFilter

/// One device's way through the protocol, every step looked at.
struct Patient {
    let settings: Doctor.Settings
    private let channel: any ExchangeChannel
    var client: DeviceClient
    var generator = SystemRandomNumberGenerator()
    /// Configuration, a query with a key, key, configuration again, queries of test and of new entries; with a reload
    /// an old query, configuration, key and a query behind it.
    private var tokenCount: Int { settings.reload == nil ? 6 : 10 }
    private var largestRequest = 0
    private var sizes: [String] = []

    init(_ settings: Doctor.Settings, _ channel: any ExchangeChannel) {
        self.settings = settings
        self.channel = channel
        let identity = DeviceClient.Identity(
            userIdentifier: "doctor-\(UUID().uuidString.lowercased())", userToken: settings.userToken)
        client = DeviceClient(
            identity, usecase: settings.usecase, services: settings.deployment.services)
    }

    mutating func examine(_ findings: inout DoctorFindings) async {
        guard await hasDirectory(&findings), await hasTokens(&findings) else { return }
        await judgeMissingToken(&findings)
        guard await hasConfiguration(&findings) else { return }
        await judgePublicConfiguration(&findings)
        guard judgeShards(&findings) else { return }
        await judgeKeyInQuery(&findings)
        guard await hasKey(&findings) else { return }
        await judgeEntries(&findings)
        await judgeReload(&findings)
        await judgeGeneration(&findings)
        judgeSizes(&findings)
    }

    /// - Throws: ``DoctorFault``; ``ExchangeError``.
    mutating func send(
        _ step: Endpoint, _ request: BinaryHTTPRequest
    ) async throws -> BinaryHTTPResponse {
        let reply = try await channel.exchange(request)
        largestRequest = max(largestRequest, reply.sentBytes)
        if [.config, .key, .queries].contains(step), reply.response.status == 200 {
            sizes.append("\(step.rawValue) \(reply.sentBytes) B out, \(reply.receivedBytes) B back")
        }
        return reply.response
    }

    mutating func read(
        _ response: BinaryHTTPResponse, to pending: DeviceClient.Pending
    ) throws -> DeviceClient.Answer {
        guard response.status == 200 else { throw DoctorFault(response.refusalText) }
        return try client.read(response.content, to: pending, second: Self.unixSecond, using: &generator)
    }

    private mutating func hasDirectory(_ findings: inout DoctorFindings) async -> Bool {
        let (request, pending) = client.directoryRequest()
        let response: BinaryHTTPResponse
        do {
            response = try await send(.directory, request)
            if case .oblivious = settings.deployment.route {
                findings.pass(.ohttpExchange, "the directory came back sealed")
            }
        } catch {
            if case .oblivious = settings.deployment.route {
                findings.fail(.ohttpExchange, "\(error)")
                findings.skipRest("nothing gets through the gateway")
            } else {
                findings.fail(.directory, "\(error)")
                findings.skipRest("no tokens without a directory")
            }
            return false
        }
        do {
            _ = try read(response, to: pending)
            let usable = client.directory?.usableKeys(at: Self.unixSecond).count ?? 0
            guard usable > 0 else { throw DoctorFault("it has no key of type 2 that may be used now") }
            let type = response.mediaType
            let fault = "the media type is '\(type ?? "none")', not \(IssuerDirectory.mediaType)"
            switch type {
            case IssuerDirectory.mediaType: findings.pass(.directory, "\(usable) keys of type 2")
            case "application/json":
                // With this one Apple documents tests on devices, so they take it.
                findings.note(.directory, "\(usable) keys of type 2; \(fault), as Apple's example service")
            default: throw DoctorFault(fault)
            }
            return true
        } catch {
            findings.fail(.directory, "\(error)")
            findings.skipRest("no tokens without a directory")
            return false
        }
    }

    private mutating func hasTokens(_ findings: inout DoctorFindings) async -> Bool {
        do {
            if rules.asksForTokenKey {
                let (request, pending) = client.tokenKeyRequest()
                _ = try read(await send(.tokenKey, request), to: pending)
                findings.pass(.tokenKey, "listed, and valid now")
            } else {
                try client.takeFirstTokenKey(second: Self.unixSecond)
                findings.pass(.tokenKey, "the first of type 2 that is valid now; the issuer is not asked")
            }
        } catch {
            findings.fail(.tokenKey, "\(error)")
            findings.skipRest("no tokens without a token key")
            return false
        }
        do {
            for _ in 0..<tokenCount {
                let (request, pending) = try client.issueRequest()
                let response = try await send(.issue, request)
                _ = try read(response, to: pending)
                guard response.mediaType == TokenResponse.mediaType else {
                    throw DoctorFault(
                        "the media type is '\(response.mediaType ?? "none")', not \(TokenResponse.mediaType)")
                }
            }
            findings.pass(.tokenIssue, "\(tokenCount) tokens, every signature valid")
            return true
        } catch {
            findings.fail(.tokenIssue, "\(error)")
            findings.skipRest("nothing can be asked without tokens")
            return false
        }
    }

    private mutating func judgeMissingToken(_ findings: inout DoctorFindings) async {
        let request = BinaryHTTPRequest(
            scheme: settings.deployment.service.scheme, authority: settings.deployment.service.authority,
            path: PIRService.Endpoint.config.path,
            fields: [
                BinaryHTTPField("user-identifier", "doctor"), BinaryHTTPField("user-agent", "doctor"),
            ])
        do {
            let status = try await send(.config, request).status
            if status == 401 {
                findings.pass(.missingToken, "status 401")
            } else {
                findings.fail(.missingToken, "/config without a token answers with status \(status), not 401")
            }
        } catch {
            findings.skip(.missingToken, "\(error)")
        }
    }

    private mutating func hasConfiguration(_ findings: inout DoctorFindings) async -> Bool {
        let suffix = ".url.filtering"
        if settings.usecase.hasSuffix(suffix), settings.usecase.count > suffix.count {
            findings.pass(.usecaseName, settings.usecase)
        } else {
            findings.fail(.usecaseName, "it is '\(settings.usecase)'")
        }
        do {
            let (request, pending) = try client.configRequest()
            let response = try await send(.config, request)
            guard response.status != 401 else {
                findings.fail(.tokenRedeem, response.refusalText)
                findings.skipRest("the service takes no tokens of this issuer")
                return false
            }
            findings.pass(.tokenRedeem, "at /config")
            await judgeReplay(of: request, &findings)
            guard response.status != 404 else {
                throw DoctorFault("the service has no usecase '\(settings.usecase)'")
            }
            _ = try read(response, to: pending)
            guard let client = client.session.client else { throw DoctorFault("it is empty") }
            let configuration = client.configuration
            findings.pass(
                .configuration,
                "\(configuration.encryptionName), \(configuration.shards.count) shards")
            return true
        } catch {
            findings.fail(.configuration, "\(error)")
            findings.skipRest("nothing can be looked up without a configuration")
            return false
        }
    }

    /// The same request again, its token included.
    private mutating func judgeReplay(
        of request: BinaryHTTPRequest, _ findings: inout DoctorFindings
    ) async {
        do {
            let status = try await send(.config, request).status
            if status == 401 {
                findings.pass(.replayedToken, "status 401")
            } else {
                findings.fail(.replayedToken, "a spent token gets status \(status), not 401")
            }
        } catch {
            findings.skip(.replayedToken, "\(error)")
        }
    }

    private mutating func hasKey(_ findings: inout DoctorFindings) async -> Bool {
        do {
            let (request, pending) = try client.keyRequest(second: Self.unixSecond, using: &generator)
            let response = try await send(.key, request)
            guard response.status == 200 else {
                throw DoctorFault("\(request.content.count) bytes: \(response.refusalText)")
            }
            _ = try read(response, to: pending)
            findings.pass(.keyUpload, "\(request.content.count) bytes accepted")
        } catch {
            findings.fail(.keyUpload, "\(error)")
            findings.skipRest("lookups need an evaluation key")
            return false
        }
        do {
            let (request, pending) = try client.configRequest()
            let answer = try read(await send(.config, request), to: pending)
            guard case .keyUploadNeeded(false) = answer else {
                findings.fail(.keyKept, "/config asks for the key that was just uploaded")
                findings.skipRest("lookups need an evaluation key")
                return false
            }
            findings.pass(
                .keyKept, "/config names it; whether it outlives a restart cannot be seen from outside")
            return true
        } catch {
            findings.fail(.keyKept, "\(error)")
            findings.skipRest("lookups need an evaluation key")
            return false
        }
    }

    private mutating func judgeEntries(_ findings: inout DoctorFindings) async {
        let absent = settings.absentEntry
        do {
            let (request, pending) = try client.queriesRequest(
                (TestEntry.forms + [absent]).map { Array($0.utf8) },
                using: &generator)
            let answer = try read(await send(.queries, request), to: pending)
            guard case .present(let present) = answer, present.count == 3 else {
                throw DoctorFault("there is no answer to each keyword")
            }
            switch (present[0], present[1]) {
            case (true, true): findings.pass(.testEntry, "listed, with and without 'www.'")
            case (true, false):
                findings.pass(
                    .testEntry, "listed; devices of iOS 27 look up \(TestEntry.onDevices), which is absent")
            case (false, true):
                findings.fail(
                    .testEntry,
                    "absent; only \(TestEntry.onDevices) is there, and Apple's validation looks up the other")
            case (false, false):
                findings.fail(.testEntry, "the service has neither it nor \(TestEntry.onDevices)")
            }
            if present[2] {
                findings.fail(.absentEntry, "'\(absent)' is listed")
            } else {
                findings.pass(.absentEntry, "absent")
            }
        } catch {
            findings.fail(.testEntry, "\(error)")
        }
    }

    private func judgeSizes(_ findings: inout DoctorFindings) {
        let text = sizes.joined(separator: "; ")
        guard let cap = settings.relayCap else {
            return findings.skip(.relayCap, "name --relay-cap; sizes to declare: \(text)")
        }
        if largestRequest <= cap {
            findings.pass(.relayCap, "largest request \(largestRequest) B, cap \(cap) B; \(text)")
        } else {
            findings.fail(.relayCap, "largest request \(largestRequest) B, cap \(cap) B; \(text)")
        }
    }

    static var unixSecond: Int64 { Int64(Date().timeIntervalSince1970) }
}

extension BinaryHTTPResponse {
    fileprivate var mediaType: String? {
        fields.first(named: "content-type")?.text?.split(separator: ";").first.map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
    }

    /// Status, and the beginning of a text body.
    var refusalText: String {
        let text = ForeignText.quoted(content)
        return "status \(status)" + (text.isEmpty ? "" : ": \(text)")
    }
}
