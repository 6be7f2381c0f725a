/// One row of the table of named parameter sets.
struct PredefinedParameters: Sendable {
    let name: String
    let degree: Int
    let plaintextModulus: UInt64
    let moduli: [UInt64]

    var securityLevel: EncryptionParameters.SecurityLevel {
        name.hasPrefix("insecure_") ? .unchecked : .quantum128
    }

    /// The sets of article "Homomorphic encryption", section "Parameter sets", in its order.
    static let all: [PredefinedParameters] = [
        .init("insecure_n_8_logq_5x18_logt_5", 8, 17, [131_249, 131_297, 131_441, 131_489, 131_617]),
        .init("insecure_n_16_logq_60_logt_15", 16, 16_417, [q60First]),
        .init(
            "insecure_n_512_logq_4x60_logt_20", 512, 525_313,
            [
                576_460_752_303_436_801, 576_460_752_303_439_873, 576_460_752_303_447_041,
                576_460_752_303_471_617,
            ]),
        .init("n_4096_logq_16_33_33_logt_4", 4096, 11, [40_961, 8_589_852_673, 8_589_844_481]),
        .init("n_4096_logq_27_28_28_logt_4", 4096, 11, q27And28),
        .init("n_4096_logq_27_28_28_logt_5", 4096, 17, q27And28),
        .init("n_4096_logq_27_28_28_logt_6", 4096, 37, q27And28),
        .init("n_4096_logq_27_28_28_logt_13", 4096, 4099, q27And28),
        .init("n_4096_logq_27_28_28_logt_16", 4096, 40_961, q27And28),
        .init("n_4096_logq_27_28_28_logt_17", 4096, 65_537, q27And28),
        .init("n_8192_logq_3x55_logt_24", 8192, 8_404_993, q55),
        .init("n_8192_logq_3x55_logt_29", 8192, 268_582_913, q55),
        .init("n_8192_logq_3x55_logt_30", 8192, 536_903_681, q55),
        .init("n_8192_logq_3x55_logt_42", 8192, 2_199_023_288_321, q55),
        .init("n_8192_logq_29_60_60_logt_15", 8192, 16_411, [536_690_689, q60First, q60Second]),
        .init("n_8192_logq_40_60_60_logt_26", 8192, 33_832_961, [1_099_511_480_321, q60First, q60Second]),
        .init("n_8192_logq_28_60_60_logt_20", 8192, 557_057, [268_369_921, q60First, q60Second]),
    ]

    private static let q60First: UInt64 = 1_152_921_504_606_830_593
    private static let q60Second: UInt64 = 1_152_921_504_606_748_673
    private static let q27And28: [UInt64] = [134_176_769, 268_369_921, 268_361_729]
    private static let q55: [UInt64] = [
        36_028_797_018_652_673, 36_028_797_017_571_329, 36_028_797_017_456_641,
    ]

    private init(_ name: String, _ degree: Int, _ plaintextModulus: UInt64, _ moduli: [UInt64]) {
        self.name = name
        self.degree = degree
        self.plaintextModulus = plaintextModulus
        self.moduli = moduli
    }
}

extension EncryptionParameters {
    /// The named parameter sets of Apple's tools (the values of `rlweParameters`).
    package static let predefined: [EncryptionParameters] = PredefinedParameters.all.map(Self.init(trusted:))

    /// The name of the predefined set with these values, if there is one.
    package var name: String? {
        Self.predefined.firstIndex(of: self).map { PredefinedParameters.all[$0].name }
    }

    /// A predefined set.
    ///
    /// - Parameter name: For example `n_4096_logq_27_28_28_logt_5`.
    package init(named name: String) throws(EncryptionParametersError) {
        guard let preset = PredefinedParameters.all.first(where: { $0.name == name }) else {
            throw .unknownName(name, known: PredefinedParameters.all.map(\.name))
        }
        self.init(trusted: preset)
    }
}
