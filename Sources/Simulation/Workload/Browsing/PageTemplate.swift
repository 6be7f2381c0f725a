import Decoding

/// One request of a page: when it starts and what it asks for.
///
/// 24 bytes without a string; ``SyntheticWeb/appendURL(of:token:to:)`` writes the URL.
package struct PageObject: Hashable, Sendable {
    /// Start after the main document, in nanoseconds. 0 for the document itself.
    package internal(set) var offset: Int64
    /// Objects with the same identity have the same URL, on whatever page they
    /// are, and a fresh one differs only in its token. Different URLs share an
    /// identity with probability 2⁻⁶⁴.
    package let identity: UInt64
    package let host: HostNumber
    let flags: Flags

    struct Flags: OptionSet, Hashable, BitwiseCopyable {
        let rawValue: UInt8
        static let main = Flags(rawValue: 1)
        static let front = Flags(rawValue: 2)
        static let thirdParty = Flags(rawValue: 4)
        static let fresh = Flags(rawValue: 8)

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(isThirdParty: Bool, isFresh: Bool) {
            self = isThirdParty ? .thirdParty : []
            if isFresh { insert(.fresh) }
        }
    }

    /// The document that the person asked for.
    package var isMain: Bool { flags.contains(.main) }
    /// The host is not one of the site's own.
    package var isThirdParty: Bool { flags.contains(.thirdParty) }
    /// Each load puts a new token into the query.
    package var isFresh: Bool { flags.contains(.fresh) }
    /// Made from an entry of the block list: the entry itself, or something on
    /// the host that the entry names. An object that the *page* of a listed URL
    /// loads from the same host is not covered by the entry and not listed.
    /// Whether a device sees the match depends on its matching rules.
    package var isListed: Bool { host.isCovered }
    /// The path is `/`.
    package var isFront: Bool { flags.contains(.front) }

    init(main host: HostNumber, identity: UInt64, isFront: Bool) {
        offset = 0
        self.identity = identity
        self.host = host
        flags = isFront ? [.main, .front] : .main
    }

    init(_ object: PageOutline.Object, host: HostNumber) {
        offset = 0
        identity = object.identity
        self.host = host
        flags = object.flags
    }
}

/// A host of the synthetic web, by number.
package struct HostNumber: Hashable, Sendable {
    enum Kind: UInt8 { case ranked, thirdParty, listedHost, listedURL, hostOfListedURL }

    /// The rank of the site, the rank of the third party, or the entry.
    let index: UInt32
    /// Which of the hosts of a site; 0 is the one with the pages.
    let subdomain: UInt8
    let kind: Kind

    var isCovered: Bool { kind == .listedHost || kind == .listedURL }

    /// Belongs to an entry of the block list, whether or not the entry covers all of it.
    package var isOfEntry: Bool { kind != .ranked && kind != .thirdParty }

    /// The popularity of a third party; `nil` for other hosts.
    package var thirdPartyRank: Int? { kind == .thirdParty ? Int(index) : nil }

    /// A number that no other host of the web has.
    package var key: UInt64 { UInt64(index) | UInt64(subdomain) << 32 | UInt64(kind.rawValue) << 40 }
}

/// All requests of one page view.
///
/// A template has no strings and can be refilled, so that a fleet expands each
/// distinct URL once and then only counts.
package struct PageTemplate: Sendable {
    package internal(set) var site: SiteNumber
    /// Number of the page on its site; 0 is the front page.
    package internal(set) var page: Int
    /// The main document first, then by offset.
    package internal(set) var objects: [PageObject]
    private var outline = PageOutline()

    /// An empty template to fill.
    package init() {
        site = SiteNumber(rawValue: 0)
        page = 0
        objects = []
    }

    mutating func fill(_ web: SyntheticWeb, site: SiteNumber, page: Int) {
        web.outline(&outline, site: site, page: page)
        self.site = site
        self.page = page
        objects.removeAll(keepingCapacity: true)
        for index in outline.objects.indices {
            var object = outline.object(at: index)
            object.offset = outline.timing.offset(ofObject: index)
            objects.append(object)
        }
        objects.sort { $0.offset < $1.offset }
    }

    /// Different hosts among the objects.
    package var hostCount: Int { Set(objects.map(\.host)).count }
}

/// The times at which the objects of one page start: independently of each other, by the burst law of the web.
package struct PageTiming: Sendable {
    let key: UInt64
    /// Earliest start of an object after the document, and the time from there to the last possible one, seconds.
    let first: Double
    let rest: Double
    let burst: QuantileTable

    static let none = PageTiming(key: 0, first: 0, rest: 0, burst: QuantileTable { _ in 0 })

    /// - Parameter index: In the order in which the objects are drawn; 0 is the document, which starts at 0.
    package func offset(ofObject index: Int) -> Int64 {
        guard index > 0 else { return 0 }
        var bits = KeyedBits(key: KeyedBits.key(key, UInt64(index)))
        return .seconds(first + burst.value(at: bits.unit()) * rest)
    }
}
