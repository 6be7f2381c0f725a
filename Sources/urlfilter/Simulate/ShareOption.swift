import ArgumentParser

/// A share on the command line: `5%` or `0.05`.
enum ShareOption {
    static func parse(_ text: String) throws -> Double {
        let isPercent = text.hasSuffix("%")
        guard let number = Double(isPercent ? String(text.dropLast()) : text), number.isFinite else {
            throw ValidationError("'\(text)' is not a share; write for example 5% or 0.05")
        }
        return isPercent ? number / 100 : number
    }
}
