import HomomorphicEncryption

/// Gives back the bytes that a plaintext in evaluation form was made of.
///
/// The plaintext multiplies an encryption of 1, and the product is decrypted: what a server and a device do, without
/// a selection in between.
struct PlaintextRecovery {
    private let context: BFVContext
    private let secretKey: SecretKey
    /// Encryption of 1, in evaluation form.
    private let one: Ciphertext

    init(context: BFVContext) throws {
        self.context = context
        // Nothing here is a secret, so that the key may be the same every time.
        var random = DeterministicRandomBits(seed: Array(repeating: 1, count: 32))
        secretKey = context.generateSecretKey(using: &random)
        var coefficients = [UInt64](repeating: 0, count: context.parameters.polynomialDegree)
        coefficients[0] = 1
        var one = context.expand(
            context.encrypt(
                try context.plaintext(coefficients: coefficients), secretKey: secretKey, using: &random))
        context.convertToEvaluation(&one)
        self.one = one
    }

    /// - Returns: `bytesPerPlaintext` bytes. For what was never a plaintext they mean nothing.
    func bytes(of plaintext: EvaluationPlaintext) -> [UInt8] {
        var product = one
        context.multiply(&product, by: plaintext)
        return context.bytes(of: context.decrypt(product, secretKey: secretKey))
    }
}
