import Foundation
import RandomStreams

extension SyntheticWeb {
    /// All requests of one page, the same ones on every call.
    package func page(site: SiteNumber, page: Int) -> PageTemplate {
        var template = PageTemplate()
        fill(&template, site: site, page: page)
        return template
    }

    /// Like ``page(site:page:)``, into memory that is reused.
    ///
    /// - Parameters:
    ///   - site: A site of this web.
    ///   - page: In `0..<pageCount(of: site)`.
    package func fill(_ template: inout PageTemplate, site: SiteNumber, page: Int) {
        template.fill(self, site: site, page: page)
    }

    /// The same requests without their offsets and not in their order, at a fraction of the cost of
    /// ``fill(_:site:page:)``.
    package func outline(_ outline: inout PageOutline, site: SiteNumber, page: Int) {
        precondition((0..<65_536).contains(page), "no site has a page \(page)")
        outline.site = site
        outline.page = page
        outline.removeAll()
        let place = outline.sites.place(of: site, web: self)
        var builder = PageBuilder(web: self, site: site, page: page, traits: outline.sites.traits(at: place))
        builder.fill(&outline, sitePlace: place)
    }

    /// The document of a page without the rest of the page.
    package func mainObject(site: SiteNumber, page: Int) -> PageObject {
        let host = host(of: site, subdomain: 0, isMain: true)
        let identity = KeyedBits.key(
            KeyedBits.key(seed, host.key), host.kind == .listedURL ? 0 : UInt64(page) << 1 | 1)
        return PageObject(
            main: host, identity: identity,
            isFront: page == 0 && host.kind != .listedURL && opensAtFront(site))
    }

    /// One of the hosts of a site.
    func host(of site: SiteNumber, subdomain: Int, isMain: Bool = false) -> HostNumber {
        let kind: HostNumber.Kind =
            !site.isListed
            ? .ranked
            : EntryShape(entries[site.index]).isHost ? .listedHost : isMain ? .listedURL : .hostOfListedURL
        return HostNumber(index: UInt32(site.index), subdomain: UInt8(subdomain), kind: kind)
    }
}
