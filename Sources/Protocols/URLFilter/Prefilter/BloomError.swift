import Decoding

/// Why a prefilter cannot have the shape or the contents that were asked for.
package enum BloomError: InputFault, Equatable {
    case noBits
    case hashCountOutOfRange(UInt32, allowed: ClosedRange<UInt32>)
    case zeroSeed
    case entryCountOutOfRange(Int, allowed: ClosedRange<Int>)
    case toleranceOutOfRange(Double)
    /// The list is too long for the tolerance: devices count bits with 32 bits.
    case tooManyBits(needed: Double, allowed: UInt32)
    case wrongByteCount(Int, expected: Int)
}

extension BloomError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noBits:
            "bitCount is 0; a prefilter needs at least 1 bit"
        case .hashCountOutOfRange(let got, let allowed):
            "hashCount is \(got); it must be in \(allowed.lowerBound)...\(allowed.upperBound)"
        case .zeroSeed:
            "murmurSeed is 0; devices may refuse such a prefilter, pick any other value"
        case .entryCountOutOfRange(let got, let allowed):
            "the list has \(got) entries; a prefilter is sized for \(allowed.lowerBound)...\(allowed.upperBound)"
        case .toleranceOutOfRange(let got):
            "falsePositiveTolerance is \(got); it must be greater than 0 and less than 1"
        case .tooManyBits(let needed, let allowed):
            "the prefilter would need \(needed) bits; devices accept at most \(allowed), "
                + "so shorten the list or raise falsePositiveTolerance"
        case .wrongByteCount(let got, let expected):
            "the prefilter data has \(got) bytes; its bitCount asks for \(expected)"
        }
    }
}
