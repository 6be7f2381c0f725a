package import ObliviousHTTP
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

    /// What becomes of the body of an outer request.
    package enum Outcome: Sendable {
        case opened(Opened)
        /// The outer response: a refusal in the clear, or a sealed one.
        case answered(BinaryHTTPResponse)
    }

    private struct State {
        var gateway: OHTTPGateway
        var replays: ReplayWindow
    }

    private let state: Mutex<State>
    /// Hosts that requests may go to, in lower case.
    private let authorities: Mutex<Set<String>>

    /// - Parameters:
    ///   - authorities: Hosts, with a port if it is not the scheme's, that requests may go to.
    ///   - replays: Refuses requests whose encapsulated key came before.
    package init(gateway: OHTTPGateway, authorities: Set<String>, replays: ReplayWindow) {
        state = Mutex(State(gateway: gateway, replays: replays))
        self.authorities = Mutex(Set(authorities.map { $0.lowercased() }))
    }

    /// Lets requests go to one more host.
    package func allow(authority: String) {
        authorities.withLock { _ = $0.insert(authority.lowercased()) }
    }

    /// Answers a request for the key configurations.
    package func keyConfigurations() -> BinaryHTTPResponse {
        BinaryHTTPResponse(
            status: 200, fields: [BinaryHTTPField("content-type", OHTTPMediaType.keyConfigurations)],
            content: state.withLock { $0.gateway }.encodedConfigurations)
    }

    /// Opens an outer request.
    ///
    /// - Parameter now: Nanoseconds of any steady clock, for the replay window.
    package func open(_ outer: BinaryHTTPRequest, at now: Int64) -> Outcome {
        guard outer.method == "POST" else {
            return .answered(
                .refusal(405, "the method must be POST", fields: [BinaryHTTPField("allow", "GET, POST")]))
        }
        guard outer.mediaType == OHTTPMediaType.request else {
            return .answered(.refusal(415, "the content type must be \(OHTTPMediaType.request)"))
        }
        do {
            let (bytes, context) = try state.withLock { $0.gateway }.open(outer.content)
            guard state.withLock({ $0.replays.admit(context.encapsulatedKey, at: now) }) else {
                return .answered(.refusal(400, "the request was sent before"))
            }
            return inner(bytes, context)
        } catch {
            return .answered(Self.refusal(error))
        }
    }

    private func inner(_ bytes: [UInt8], _ context: OHTTPServerContext) -> Outcome {
        func sealed(_ status: Int, _ sentence: some CustomStringConvertible) -> Outcome {
            .answered(Self.seal(.refusal(status, sentence), context))
        }
        let request: BinaryHTTPRequest
        do {
            request = try BinaryHTTPRequest(decoding: bytes)
        } catch {
            return sealed(400, error)
        }
        guard !request.expectsContinue else {
            return sealed(400, "the request expects a 100 response; a gateway cannot give one")
        }
        let host = request.authority.isEmpty ? request.fields.first(named: "host")?.text : request.authority
        guard let host, authorities.withLock({ $0.contains(host.lowercased()) }) else {
            return sealed(403, "the gateway does not serve this host")
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
            return .refusal(502, "the target's response cannot be passed on")
        }
        return BinaryHTTPResponse(
            status: 200, fields: [BinaryHTTPField("content-type", OHTTPMediaType.response)],
            content: context.seal(bytes))
    }

    /// Refusals before a request is open go out in the clear (RFC 9458, section 5.2); those that concern the key
    /// say so in a problem document (RFC 9458, section 5.3).
    private static func refusal(_ error: OHTTPError) -> BinaryHTTPResponse {
        switch error {
        case .requestTooShort: return .refusal(400, error)
        default:
            let problem = "{\"type\":\"\(OHTTPMediaType.keyProblem)\",\"title\":\"key identifier unknown\"}"
            return BinaryHTTPResponse(
                status: 422, fields: [BinaryHTTPField("content-type", "application/problem+json")],
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
