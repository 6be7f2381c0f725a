import HomomorphicEncryption
import Timing

/// Operations on messages, ciphertexts and keys, beside the portable twin, whose results must be the same.
enum SchemeBenchmarks: BenchmarkSuite {
    static func run(_ selection: Selection, into report: inout BenchmarkReport) throws {
        try run("n_4096_logq_27_28_28_logt_5", "bfv.n4096_28bit.", targets4096, selection, &report)
        try run("n_8192_logq_3x55_logt_24", "bfv.n8192_55bit.", targets8192, selection, &report)
    }

    /// Milliseconds that issue 3 asks for.
    private static let targets4096: [String: Double] = [
        "encrypt": 0.15, "decrypt": 0.04, "galois": 0.085, "multiply": 0.20, "innerProduct8": 0.85,
        "relinearize": 0.08, "galoisKey": 0.5, "keySet": 4, "readKey": 0.8,
    ]
    private static let targets8192: [String: Double] = [
        "galois": 0.35, "multiply": 1.3, "relinearize": 0.35,
    ]

    private static func run(
        _ parameters: String, _ prefix: String, _ targets: [String: Double], _ selection: Selection,
        _ report: inout BenchmarkReport
    ) throws {
        guard prefix.hasPrefix(selection.only) || selection.only.hasPrefix(prefix) else { return }
        let fast = try Operations(parameters, .best)
        let twin = try Operations(parameters, .portable)
        for (operation, twinOperation) in zip(fast.all, twin.all) {
            let name = prefix + operation.name
            guard selection.includes(name) else { continue }
            guard try operation.result() == twinOperation.result() else {
                throw WrongResult(description: "\(name): not the result of the portable twin")
            }
            let milliseconds = selection.quick ? 2.0 : 40
            let baseline = try measure("portable", milliseconds: milliseconds) {
                _ = try twinOperation.body()
            }
            let cost = try measure(name, milliseconds: milliseconds) { _ = try operation.body() }
            report.add(cost, baseline: baseline, unit: "ms", target: targets[operation.name])
        }
    }
}

/// Measured operations, for one instruction set. The same seeds give the same numbers for every set.
private struct Operations {
    struct Operation {
        let name: String
        let body: () throws -> Any
        /// Bytes that tell whether the result is right.
        let result: () throws -> [[UInt8]]
    }

    private(set) var all: [Operation] = []

    init(_ parameters: String, _ instructionSet: InstructionSet) throws {
        let context = try BFVContext(
            parameters: EncryptionParameters(named: parameters), instructionSet: instructionSet)
        var random = DeterministicRandomBits(seed: Array(repeating: 7, count: 32))
        let secretKey = context.generateSecretKey(using: &random)
        /// The generator is copied, so that each call draws the same numbers.
        let start = random
        let plain = try context.message(3)
        let ciphertexts = try (1...8 as ClosedRange<UInt64>).map { factor in
            context.expand(context.encrypt(try context.message(factor), secretKey: secretKey, using: &random))
        }
        let others = try (1...8 as ClosedRange<UInt64>).map { factor in
            context.expand(
                context.encrypt(try context.message(factor + 8), secretKey: secretKey, using: &random))
        }
        let key = try context.makeEvaluationKey(
            galoisElements: Self.elements(context), secretKey: secretKey, using: &random)
        let product = try context.multiply(ciphertexts[0], others[0])
        let factor = context.evaluationPlaintext(plain)
        var evaluations = ciphertexts[0]
        context.convertToEvaluation(&evaluations)

        add("encrypt") {
            var generator = start
            return context.encrypt(plain, secretKey: secretKey, using: &generator)
        } result: {
            [context.bytes(context.expand($0))]
        }
        add("decrypt") {
            context.decrypt(ciphertexts[0], secretKey: secretKey)
        } result: {
            guard $0 == (try context.message(1)) else {
                throw WrongResult(description: "decrypt: another message")
            }
            return []
        }
        add("multiplyPlaintext") {
            var product = evaluations
            context.multiply(&product, by: factor)
            return product
        } result: {
            [context.bytes($0)]
        }
        add("multiply") {
            try context.multiply(ciphertexts[0], others[0])
        } result: {
            [context.bytes($0)]
        }
        add("innerProduct8") {
            try context.ciphertextInnerProduct(ciphertexts[...], others[...])
        } result: {
            [context.bytes($0)]
        }
        add("relinearize") {
            try context.relinearize(product, key: key)
        } result: {
            [context.bytes($0)]
        }
        addKeys(context, ciphertexts[0], key, secretKey, start)
    }

    /// The seven keys that a shard of 50 000 entries asks for: one for each level, and relinearization.
    private static func elements(_ context: BFVContext) -> [UInt32] {
        (0..<6).map { UInt32(context.parameters.polynomialDegree >> $0) + 1 }
    }

    private mutating func addKeys(
        _ context: BFVContext, _ ciphertext: Ciphertext, _ key: EvaluationKey, _ secretKey: SecretKey,
        _ start: DeterministicRandomBits
    ) {
        let elements = Self.elements(context)
        add("galois") {
            try context.applyGalois(ciphertext, element: elements[0], key: key)
        } result: {
            [context.bytes($0)]
        }
        add("galoisKey") {
            var generator = start
            return try context.makeEvaluationKey(
                galoisElements: [elements[0]], relinearization: false, secretKey: secretKey,
                using: &generator)
        } result: {
            context.bytes($0)
        }
        add("keySet") {
            var generator = start
            return try context.makeEvaluationKey(
                galoisElements: elements, secretKey: secretKey, using: &generator)
        } result: {
            context.bytes($0)
        }
        let serialized = Dictionary(
            uniqueKeysWithValues: key.galoisKeys.map { (UInt64($0.key), context.serialize($0.value)) })
        let relinearization = key.relinearizationKey.map(context.serialize)
        add("readKey") {
            try context.deserializeEvaluationKey(
                galoisKeys: serialized, relinearizationKey: relinearization)
        } result: {
            context.bytes($0)
        }
    }

    private mutating func add<Value>(
        _ name: String, _ body: @escaping () throws -> Value,
        result: @escaping (Value) throws -> [[UInt8]]
    ) {
        all.append(Operation(name: name, body: body, result: { try result(try body()) }))
    }
}

extension BFVContext {
    /// The multiples of a factor, one for each coefficient.
    fileprivate func message(_ factor: UInt64) throws -> Plaintext {
        let modulus = parameters.plaintextModulus
        return try plaintext(
            coefficients: (0..<UInt64(parameters.polynomialDegree)).map { $0 &* factor % modulus })
    }

    fileprivate func bytes(_ ciphertext: Ciphertext) -> [UInt8] {
        guard case .full(let bytes, _, _) = serialize(ciphertext) else { return [] }
        return bytes
    }

    fileprivate func bytes(_ key: EvaluationKey) -> [[UInt8]] {
        (key.galoisElements.compactMap { key.galoisKeys[$0] } + [key.relinearizationKey].compactMap { $0 })
            .flatMap { serialize($0) }.map { component in
                switch component {
                case .seeded(let polynomial, _): polynomial
                case .full(let polynomials, _, _): polynomials
                }
            }
    }
}
