import Foundation
import TestSupport
import Testing
import Workload

@Suite struct PublicSuffixTests {
    /// The test of the list's own maintainers (publicsuffix.org, CC0): a host and its registrable domain, or `null`.
    @Test func theMaintainersOwnTest() throws {
        let text = String(decoding: try VectorFile.data("test_psl.txt", in: .module), as: UTF8.self)
        var count = 0
        for line in text.split(separator: "\n") where line.hasPrefix("checkPublicSuffix('") {
            let parts = line.split(separator: "'", omittingEmptySubsequences: false)
            let host = String(parts[1])
            // Hosts come in Punycode, and none starts with a dot.
            guard host.utf8.allSatisfy({ $0 < 0x80 }), !host.hasPrefix(".") else { continue }
            let isSuffix = PublicSuffixes.builtIn.isSuffix(host)
            if line.hasSuffix("null);") {
                #expect(isSuffix, "\(line)")
            } else {
                #expect(!isSuffix, "\(line)")
                #expect(
                    PublicSuffixes.builtIn.site(of: host).lowercased() == String(parts[3]).lowercased(),
                    "\(line)")
            }
            count += 1
        }
        #expect(count > 60)
    }

    @Test(arguments: ["co.uk", "github.io", "blogspot.com", "s3.amazonaws.com", "web.app", "com"])
    func bothSectionsAreThere(_ name: String) {
        #expect(PublicSuffixes.builtIn.isSuffix(name))
        #expect(PublicSuffixes.builtIn.site(of: "a.b." + name) == "b." + name)
    }

    @Test func anotherListTakesItsPlace() throws {
        let suffixes = try PublicSuffixes(
            Array("// Version: 2020-01-01\nexample\n*.shop.example\n!all.shop.example\n".utf8), name: "l")
        #expect(suffixes.version == "2020-01-01")
        #expect(suffixes.site(of: "x.b.a.shop.example") == "b.a.shop.example")
        #expect(suffixes.site(of: "x.all.shop.example") == "all.shop.example")
        #expect(suffixes.site(of: "x.y.com") == "y.com")
    }

    @Test(arguments: [
        ("a/b", PublicSuffixError.notARule("a/b", place: "l:1")), ("// nothing", .noRules("l")),
        ("SQLite 3\u{0}x", .notARule("SQLite 3\u{0}x", place: "l:1")),
    ])
    func whatIsNoListIsRefused(_ text: String, _ error: PublicSuffixError) {
        #expect(throws: error) { try PublicSuffixes(Array(text.utf8), name: "l") }
    }

    /// By hand: a device that blocks a name blocks what is below it.
    @Test(arguments: [
        ("mask.icloud.com", true), ("icloud.com", true), ("com", true), ("www.icloud.com", false),
        ("example.com", false),
        ("gdmf.apple.com", true), ("x.gdmf.apple.com", false),
    ])
    func neededHosts(_ entry: String, _ isBlocked: Bool) {
        #expect((NeededHosts.blocked(by: Array(entry.utf8)) != nil) == isBlocked)
    }
}
