/// The constants of operations on ciphertexts over the first `rowCount` moduli.
struct CiphertextLevel: Sendable {
    let message: MessageScaling
    let rounding: PhaseRounding
    let scaling: BaseScaling

    init(rings: [RingModulus], plaintextModulus: UInt64, auxiliary: [RingModulus], wordSize: Int) {
        message = MessageScaling(rings: rings, plaintextModulus: plaintextModulus)
        rounding = PhaseRounding(rings: rings, plaintextModulus: plaintextModulus)
        scaling = BaseScaling(
            rings: rings, auxiliary: auxiliary, plaintextModulus: plaintextModulus, wordSize: wordSize)
    }
}
