package import ObliviousHTTP
import ServiceRules
import Synchronization

/// The gateway: shows its keys, opens requests and seals the responses to them.
///
/// Knows neither who sent a request nor what the answer is; carrying requests to their targets is its owner's work.
/// Any number of threads may call, and no lock is held while a request is opened.
package final class GatewayParty: Sendable {
    /// A request that was opened.
    package struct Opened: Sendable {
        package let request: BinaryHTTPRequest
        fileprivate let context: OHTTPServerContext

        /// The outer response: status 200 whatever the inner one says (RFC 9458, section 5.2).
        package func seal(_ response: BinaryHTTPResponse) -> BinaryHTTPResponse {
            GatewayParty.seal(response, context)
        }
    }

    /// Result for the body of an outer request.
    package enum Outcome: Sendable {
        case opened(Opened)
        /// The outer response: a refusal in the clear, or a sealed one.
        case answered(BinaryHTTPResponse)
    }

    private let keys: Mutex<GatewayKeys>
    /// Hosts that requests may go to, in lower case.
    private let authorities: Mutex<Set<String>>

    /// - Parameters:
    ///   - authorities: Hosts, with a port if it is not the scheme's, that requests may go to.
    package init(keys: GatewayKeys, authorities: Set<String>) {
        self.keys = Mutex(keys)
        self.authorities = Mutex(Set(authorities.map { $0.lowercased() }))
    }

    /// Lets requests go to one more host.
    package func allow(authority: String) {
        authorities.withLock { _ = $0.insert(authority.lowercased()) }
    }

    /// Keys that were changed before their time; see ``GatewayKeys/earlyChanges``.
    package var earlyKeyChanges: Int { keys.withLock { $0.earlyChanges } }

    /// All that another process needs to go on.
    ///
    /// - Parameter now: As for ``open(_:at:)``.
    package func storedKeys(at now: Int64) -> [GatewayKeys.Stored] {
        keys.withLock { keys in
            try? keys.advance(to: now)
            return keys.stored
        }
    }

    /// Answers a request for the key configurations.
    ///
    /// - Parameter now: As for ``open(_:at:)``.
    package func keyConfigurations(at now: Int64) -> BinaryHTTPResponse {
        BinaryHTTPResponse(
            status: 200, fields: [BinaryHTTPField("content-type", OHTTPMediaType.keyConfigurations)],
            content: gateway(at: now).encodedConfigurations)
    }

    /// Gateway that opens requests now. A key that cannot be changed is used on; making one does not fail.
    private func gateway(at now: Int64) -> OHTTPGateway {
        keys.withLock { keys in
            try? keys.advance(to: now)
            return keys.gateway
        }
    }

    /// Opens an outer request.
    ///
    /// - Parameter now: Nanoseconds of any steady clock, for the lives of the keys.
    package func open(_ outer: BinaryHTTPRequest, at now: Int64) -> Outcome {
        guard outer.method == "POST" else {
            return .answered(
                .refusal(
                    .methodNotAllowed, "the method must be POST",
                    fields: [BinaryHTTPField("allow", "GET, POST")]))
        }
        guard outer.mediaType == OHTTPMediaType.request else {
            return .answered(
                .refusal(.contentTypeUnknown, "the content type must be \(OHTTPMediaType.request)"))
        }
        do {
            let (bytes, context) = try gateway(at: now).open(outer.content)
            guard try keys.withLock({ keys throws(OHTTPError) in try keys.admit(context) }) else {
                return .answered(.refusal(.repeated, "the request was sent before"))
            }
            return inner(bytes, context)
        } catch {
            return .answered(Self.refusal(error))
        }
    }

    private func inner(_ bytes: [UInt8], _ context: OHTTPServerContext) -> Outcome {
        func sealed(_ why: ServiceRefusal, _ sentence: some CustomStringConvertible) -> Outcome {
            .answered(Self.seal(.refusal(why, sentence), context))
        }
        let request: BinaryHTTPRequest
        do {
            request = try BinaryHTTPRequest(decoding: bytes)
        } catch {
            return sealed(.requestUnusable, error)
        }
        guard !request.expectsContinue else {
            return sealed(.requestUnusable, "the request expects a 100 response; a gateway cannot give one")
        }
        var hosts = Set(request.fields.filter { $0.name.lowercased() == "host" }.compactMap(\.text))
        if !request.authority.isEmpty { hosts.insert(request.authority) }
        guard hosts.count < 2 else { return sealed(.requestUnusable, "the request names more than one host") }
        guard let host = hosts.first, authorities.withLock({ $0.contains(host.lowercased()) }) else {
            return sealed(.hostNotServed, "the gateway does not serve this host")
        }
        return .opened(Opened(request: request, context: context))
    }

    private static func seal(_ response: BinaryHTTPResponse, _ context: OHTTPServerContext)
        -> BinaryHTTPResponse
    {
        let bytes: [UInt8]
        do {
            bytes = try response.encoded()
        } catch {
            // Only a target that writes fields HTTP forbids gets here.
            return .refusal(.nextPartyUnusable, "the target's response cannot be passed on")
        }
        return BinaryHTTPResponse(
            status: 200, fields: [BinaryHTTPField("content-type", OHTTPMediaType.response)],
            content: context.seal(bytes))
    }

    /// Refusals before a request is open go out in the clear (RFC 9458, section 5.2); those that concern the key
    /// say so in a problem document (RFC 9458, section 5.3).
    private static func refusal(_ error: OHTTPError) -> BinaryHTTPResponse {
        switch error {
        case .requestTooShort: return .refusal(.requestUnusable, error)
        default:
            let problem = "{\"type\":\"\(OHTTPMediaType.keyProblem)\",\"title\":\"key identifier unknown\"}"
            return BinaryHTTPResponse(
                status: ServiceRefusal.gatewayKeyUnknown.status,
                fields: [BinaryHTTPField("content-type", "application/problem+json")],
                content: Array(problem.utf8))
        }
    }
}

extension BinaryHTTPRequest {
    /// The media type of the content, without parameters and in lower case.
    package var mediaType: String? {
        fields.first(named: "content-type")?.text?
            .prefix { $0 != ";" }.lowercased().trimmingSuffix(while: { $0 == " " || $0 == "\t" })
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
        String(self[..<(lastIndex { !predicate($0) }.map(index(after:)) ?? startIndex)])
    }
}
