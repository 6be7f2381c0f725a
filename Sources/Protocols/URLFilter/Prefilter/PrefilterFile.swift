import Decoding
package import Foundation

/// A prefilter as Apple's tool stores it: an XML property list.
///
/// The keys are `itemCount`, `falsePositiveTolerance`, `murmurSeed`, `bitCount`, `byteCount`, `hashCount`
/// and `data` (article "Device", section "Data set and tools"). Other keys are ignored.
package struct PrefilterFile: Hashable, Sendable {
    /// Names of the keys.
    package enum Generation: CaseIterable, Sendable {
        case current
        /// An older beta: `numberOfItems`, `numberOfBits`, `numberOfBytes`, `numberOfHashes`, `bitVectorData`.
        case older
    }

    /// Largest file that is read or written as raw data, in bytes: the data of the largest filter.
    package static let maximumDataSize = (Int(BloomParameters.maximumBitCount) + 7) / 8

    /// Largest property list that is read, in bytes: base64 of the largest filter, with room for the line
    /// breaks and indentation that property lists have. While it is read, about four times the size of the
    /// file is in memory.
    package static let maximumFileSize = maximumDataSize / 3 * 5

    package let filter: BloomFilter
    /// Lines of the list that the filter was built from, duplicates counted.
    package let itemCount: Int
    /// The rate per string that the filter was sized for; between 0 and 1, both excluded.
    package let falsePositiveTolerance: Double

    package init(
        filter: BloomFilter, itemCount: Int, falsePositiveTolerance: Double
    ) throws(PrefilterFileError) {
        guard itemCount >= 0 else {
            throw .outOfRange(key: Keys.current.items, found: "\(itemCount)", allowed: "0 or more")
        }
        guard falsePositiveTolerance > 0, falsePositiveTolerance < 1 else {
            throw .outOfRange(
                key: Keys.tolerance, found: "\(falsePositiveTolerance)",
                allowed: "greater than 0 and less than 1")
        }
        self.filter = filter
        self.itemCount = itemCount
        self.falsePositiveTolerance = falsePositiveTolerance
    }

    /// Reads a property list of either generation.
    ///
    /// - Parameter sizeLimit: Longer data are refused before anything is parsed.
    package init(
        propertyList data: Data, sizeLimit: Int = maximumFileSize
    ) throws(PrefilterFileError) {
        guard data.count <= sizeLimit else { throw .tooLarge(byteCount: data.count, allowed: sizeLimit) }
        let list = try PropertyListReader(data)
        let keys = list.contains(Keys.older.bits) ? Keys.older : Keys.current
        let bitCount = try list.integer(keys.bits, in: 1...Int(BloomParameters.maximumBitCount))
        let hashCount = try list.integer(keys.hashes, in: 1...Int(BloomParameters.maximumHashCount))
        let murmurSeed = try list.integer(Keys.seed, in: 1...Int(UInt32.max))
        let bytes = try list.data(keys.data)
        do {
            let parameters = try BloomParameters(
                bitCount: UInt32(bitCount), hashCount: UInt32(hashCount), murmurSeed: UInt32(murmurSeed))
            let byteCount = try list.integer(keys.bytes, in: 1...Self.maximumDataSize)
            guard byteCount == parameters.byteCount else {
                throw PrefilterFileError.inconsistent(
                    key: keys.bytes, found: byteCount, expected: parameters.byteCount)
            }
            filter = try BloomFilter(parameters: parameters, bytes: bytes)
        } catch let error as BloomError {
            throw .shape(error)
        } catch let error as PrefilterFileError {
            throw error
        } catch {
            throw .notAPropertyList
        }
        itemCount = try list.integer(keys.items, in: 0...Int.max)
        falsePositiveTolerance = try list.fraction(Keys.tolerance)
    }

    /// The property list, keys in alphabetical order: equal filters give equal bytes.
    package func propertyList(_ generation: Generation = .current) -> Data {
        let keys = generation == .current ? Keys.current : Keys.older
        let parameters = filter.parameters
        let list: [String: Any] = [
            keys.items: itemCount, Keys.tolerance: falsePositiveTolerance,
            Keys.seed: Int(parameters.murmurSeed), keys.bits: Int(parameters.bitCount),
            keys.bytes: parameters.byteCount, keys.hashes: Int(parameters.hashCount),
            keys.data: Data(),
        ]
        do {
            var text = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            guard let start = text.range(of: Data("<data>\n".utf8))?.upperBound else {
                preconditionFailure("a property list with data has a data element")
            }
            text.insert(contentsOf: Base64.lines(of: filter.bytes), at: start)
            return text
        } catch {
            preconditionFailure("numbers and data always make a property list: \(error)")
        }
    }

    struct Keys {
        static let tolerance = "falsePositiveTolerance"
        static let seed = "murmurSeed"
        static let current = Keys(
            items: "itemCount", bits: "bitCount", bytes: "byteCount", hashes: "hashCount", data: "data")
        static let older = Keys(
            items: "numberOfItems", bits: "numberOfBits", bytes: "numberOfBytes", hashes: "numberOfHashes",
            data: "bitVectorData")

        let items: String
        let bits: String
        let bytes: String
        let hashes: String
        let data: String
    }
}

/// Files.
extension PrefilterFile {
    /// - Parameter sizeLimit: A longer file is refused before it is loaded.
    package static func read(
        path: String, sizeLimit: Int = maximumFileSize
    ) throws(PrefilterFileError) -> PrefilterFile {
        try PrefilterFile(propertyList: try load(path, sizeLimit: sizeLimit), sizeLimit: sizeLimit)
    }

    /// Reads one byte more than allowed, so that a file that grows or has no size is bounded too.
    private static func load(_ path: String, sizeLimit: Int) throws(PrefilterFileError) -> Data {
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
        guard size <= sizeLimit else { throw .tooLarge(byteCount: size, allowed: sizeLimit) }
        guard let bytes = try? InputDescriptor.contents(of: path, limit: sizeLimit) else {
            throw .unreadable(path: path)
        }
        guard bytes.count <= sizeLimit else { throw .tooLarge(byteCount: bytes.count, allowed: sizeLimit) }
        return Data(bytes)
    }
}
