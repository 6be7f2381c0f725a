import Decoding

/// One page view of a trace, when its last request is known.
package struct PageView: Hashable, Sendable {
    /// Requests, the document included.
    package var requests = 0
    /// Different hosts and different URLs among the requests.
    package var hosts = 0
    package var urls = 0
    /// Requests to other registrable domains than that of the page.
    package var thirdParty = 0
    /// Seconds from the first request to the last.
    package var seconds = 0.0
    /// Sum of the starts after the first request, in seconds.
    package var offsetSum = 0.0
    /// Hashes of the page's host and of its URL.
    package var site: UInt64 = 0
    package var page: UInt64 = 0
}

/// A page view that may still get requests.
struct OpenPage {
    /// Hash of the trace's name for the page; `nil` for requests without a page.
    let name: UInt64?
    let start: Int64
    private(set) var last: Int64
    private let document: AddressParts
    private var hosts: Set<UInt64> = []
    private var urls: Set<UInt64> = []
    private var view = PageView()

    /// Hosts and URLs of one page that are told apart; a page with more is cut there.
    private static let maximumDistinct = 16_384

    init(name: UInt64?, document: AddressParts, at time: Int64) {
        self.name = name
        self.document = document
        start = time
        last = time
        view.site = document.host
        view.page = document.url
    }

    /// - Returns: Whether the request goes to another registrable domain.
    @discardableResult
    mutating func add(_ request: AddressParts, at time: Int64) -> Bool {
        last = max(last, time)
        let isThirdParty = request.domain != document.domain
        view.requests += 1
        if isThirdParty { view.thirdParty += 1 }
        view.offsetSum += Double(nanoseconds: time - start)
        if hosts.count < Self.maximumDistinct { hosts.insert(request.host) }
        if urls.count < Self.maximumDistinct { urls.insert(request.url) }
        return isThirdParty
    }

    var finished: PageView {
        var view = view
        view.hosts = hosts.count
        view.urls = urls.count
        view.seconds = Double(nanoseconds: last - start)
        return view
    }
}
