import LiveStack
import ObliviousHTTP
import Parties
import Synchronization
import Testing

/// A place for hostile peers, with a good device next door that looks things up all the while.
enum Neighbourhood {
    /// - Parameters:
    ///   - tokens: Of the device that is given to `body`.
    ///   - body: What the hostile peers do.
    static func withDevice(
        tokens: Int, _ options: LiveStackOptions = Fixture.options,
        _ body: (RunningStack, inout TestDevice) async throws -> Void
    ) async throws {
        try await Fixture.withStack(options) { stack async throws in
            var device = try TestDevice(directTo: stack.url)
            try await device.settle(tokens: tokens)
            let isOver = Flag()
            async let lookups = lookUpAllTheWhile(stack.url, until: isOver)
            do {
                try await body(stack, &device)
            } catch {
                isOver.set()
                throw error
            }
            isOver.set()
            #expect(try await lookups > 0)
        }
    }

    /// - Returns: Lookups that were answered, rightly.
    private static func lookUpAllTheWhile(_ url: String, until isOver: Flag) async throws -> Int {
        var neighbour = try TestDevice(number: 7, directTo: url)
        try await patiently { try await neighbour.settle(tokens: 0) }
        var count = 0
        repeat {
            let answer = try await patiently {
                try await neighbour.fetchTokens(1)
                return try await neighbour.look(up: ["blocked1.example", "a.example"])
            }
            #expect(answer == [true, false])
            count += 1
        } while !isOver.isSet
        return count
    }

    /// Comes again when the servers are busy.
    private static func patiently<Result>(_ body: () async throws -> Result) async throws -> Result {
        while true {
            do {
                return try await body()
            } catch let error as Refused where error.status == 503 {
                await Task.yield()
            }
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }
}

extension TestDevice {
    /// A request with another content; its token is good.
    mutating func spend(on path: String, _ content: [UInt8]) async throws -> BinaryHTTPResponse {
        var (request, _) = try withClient { try $0.configRequest() }
        request.path = path
        request.content = content
        return try await send(request)
    }
}
