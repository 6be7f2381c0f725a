package import Foundation

/// A profile, an Info.plist or a declaration as it is written: XML or binary property list, signed or not, or JSON.
package struct ProfileDocument {
    /// Longest document that is read, in bytes.
    package static let maximumByteCount = 4 << 20

    package let isSigned: Bool
    let isPropertyList: Bool
    let root: PropertyNode
    let repeated: [RepeatedKey]

    /// - Parameter document: UTF-8, if it is text.
    package init(_ document: Data) throws(PropertyFault) {
        guard document.count <= Self.maximumByteCount else {
            throw PropertyFault(line: nil, message: "larger than \(Self.maximumByteCount) bytes")
        }
        var bytes = Array(document)
        if PEMText.isPEM(bytes) { bytes = try PEMText.read(bytes) }
        isSigned = SignedContent.isSigned(bytes)
        if isSigned { bytes = try SignedContent.read(bytes) }
        let isBinary = PropertyBinary.isBinary(bytes)
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
        let first = bytes.first { !blanks.contains($0) }
        isPropertyList = isBinary || first == UInt8(ascii: "<")
        guard isPropertyList || first == UInt8(ascii: "{") else {
            throw PropertyFault(
                line: nil, message: "neither a property list (XML, binary, signed or not) nor a JSON object")
        }
        let (value, repeated) =
            isBinary
            ? try PropertyBinary.read(bytes)
            : isPropertyList ? try PropertyXML.read(bytes) : try PropertyJSON.read(bytes)
        guard case .dictionary = value else {
            throw PropertyFault(line: nil, message: "the document is \(value.kind); it must be a dictionary")
        }
        root = PropertyNode(value)
        self.repeated = repeated
    }

    /// Keys that are there twice.
    package var repeatedKeys: [ProfileFinding] {
        repeated.map { key in
            let place = key.line.map { "again in line \($0)" } ?? "more than once"
            return ProfileFinding(
                .error, .duplicate, key.path,
                "is there \(place); its reader takes one of the values, and nobody says which")
        }
    }
}
