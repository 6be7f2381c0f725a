package import HomomorphicEncryption

/// Reads an entry out of a reply. Source: article "PIR protocol", section "Reading a reply".
package enum IndexReply {
    /// The bytes of an entry, padding included.
    package static func entry(
        _ index: Int, from reply: WireSerializedCiphertextVec, shape: DatabaseShape, context: BFVContext,
        secretKey: SecretKey
    ) throws -> [UInt8] {
        guard reply.ciphertexts.count == shape.chunkCount else {
            throw PIRError.replyCiphertextCount(reply.ciphertexts.count, expected: shape.chunkCount)
        }
        let bytes = try reply.ciphertexts.flatMap { ciphertext in
            let ciphertext = try context.deserialize(ciphertext.value(), rowCount: 1)
            return context.bytes(of: context.decrypt(ciphertext, secretKey: secretKey))
        }
        return Array(
            bytes.dropFirst(index % shape.entriesPerPlaintext * shape.entrySize).prefix(shape.entrySize))
    }
}
