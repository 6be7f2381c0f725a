import Testing
import Workload

/// Lists as they are published: each format with the smallest real example, read without a word about its format. The entries
/// are what the format's own documentation says that the lines mean.
@Suite struct StreetListTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var format: String
        var text: String
        var entries: [String]
        var dropped: [ReadReport.Reason] = []

        var testDescription: String { format }
    }

    static let examples: [Example] = [
        // hosts(5)
        Example(
            format: "hosts file",
            text:
                "# made by hand\n127.0.0.1 localhost\n0.0.0.0 a.example b.example # why\n0.0.0.0 x=/y/\n0.0.0.0 e.example,f.example\n",
            entries: ["a.example", "b.example"], dropped: [.hostNotValid, .columnsInLine]),
        // dnsmasq(8): address, server and local with an empty target answer NXDOMAIN.
        Example(
            format: "dnsmasq configuration",
            text: """
                # comment
                address=/bad.example/0.0.0.0
                address=/a.example/b.example/#
                server=/evil.example/
                local=/worse.example/
                server=/corp.example/192.0.2.53
                address=/nas.example/192.0.2.7
                """,
            entries: ["bad.example", "a.example", "b.example", "evil.example", "worse.example"],
            dropped: [.notASinkAddress, .notASinkAddress]),
        // unbound.conf(5)
        Example(
            format: "Unbound configuration",
            text: """
                server:
                  local-zone: "a.example" always_nxdomain
                  local-zone: "b.example." redirect
                  local-data: "b.example. A 0.0.0.0"
                  local-zone: "c.example" transparent
                  local-data: "d.example 3600 IN A 192.0.2.1"
                """,
            entries: ["a.example", "b.example", "b.example"], dropped: [.notASinkAddress, .notASinkAddress]),
        // draft-vixie-dnsop-dns-rpz, section 4
        Example(
            format: "response policy zone",
            text: """
                $TTL 300
                @ SOA localhost. root.localhost. 1 3600 600 86400 300
                @ NS localhost.
                a.example CNAME .
                *.b.example 300 IN CNAME . ; nxdomain
                c.example CNAME *.
                d.example A 0.0.0.0
                sub.a.example CNAME rpz-passthru.
                32.7.2.0.192.rpz-ip CNAME .
                """,
            entries: ["a.example", "b.example", "c.example", "d.example"],
            dropped: [.addressRange, .exceptionNarrower]),
        Example(
            format: "BIND configuration",
            text:
                "zone \"a.example\" { type master; file \"null.zone\"; };\nzone \"b.example\" IN { type master; };\n",
            entries: ["a.example", "b.example"]),
        // URLhaus: comments, the header in the last of them, quoted fields with commas.
        Example(
            format: "table separated by ',', column 'url'",
            text: """
                ################
                # URLhaus      #
                ################
                #
                # id,dateadded,url,url_status,threat
                "1","2024-01-01 09:58:12","http://192.0.2.10:41234/m","online","malware_download"
                "2","2024-01-01 09:50:00","http://bad.example/a,b.exe","offline","malware_download"
                """,
            entries: ["192.0.2.10:41234/m", "bad.example/a,b.exe"]),
        // PhishTank: a header, and commas in quoted fields.
        Example(
            format: "table separated by ',', column 'url'",
            text: """
                phish_id,url,phish_detail_url,submission_time,verified,verification_time,online,target
                1,https://a.example/login,http://www.phishtank.com/phish_detail.php?phish_id=1,2024-01-01T00:00:00+00:00,yes,2024-01-01T00:00:00+00:00,yes,"Bank, Inc"
                """,
            entries: ["a.example/login"]),
        Example(
            format: "table separated by ';', column 'host'",
            text:
                "\u{FEFF}host;category;added\r\nbad1.example;gambling;2026-01-01\r\nwww.bad3.example/x;\"phish;ing\";2026-01-03\r\n",
            entries: ["bad1.example", "bad3.example/x"]),
        Example(
            format: "table separated by ';', column 1", text: "bad1.example;gambling\nbad2.example;adult\n",
            entries: ["bad1.example", "bad2.example"]),
        // A comment behind an entry, and IDN hosts: UTS 46, non-transitional.
        Example(
            format: "one entry per line",
            text: """
                ; list
                ! list
                a.example # why
                b.example\t; why
                c.example/x#y
                e-geräte.example
                faß.example/ü
                ɢoogle.example
                *.wild.example/*
                """,
            entries: [
                "a.example", "b.example", "c.example/x#y", "xn--e-gerte-9wa.example",
                "xn--fa-hia.example/%C3%BC",
                "xn--oogle-wmc.example", "wild.example",
            ]),
        Example(
            format: "one entry per line",
            text: """
                ok1.example
                ok2.example
                ok3.example
                ok4.example
                192.0.2.1
                [2001:db8::1]:8443/x
                192.0.2.0/24
                2001:db8::/32
                192.0.2.1-192.0.2.9
                2001:db8::1
                a..example
                -_.example
                user@b.example
                b.example:99999
                999.1.1.1
                """,
            entries: [
                "ok1.example", "ok2.example", "ok3.example", "ok4.example", "192.0.2.1",
                "[2001:db8::1]:8443/x", "-_.example",
            ],
            dropped: [
                .addressRange, .addressRange, .addressRange, .addressWithoutBrackets, .hostNotValid,
                .userInformation,
                .portNotValid, .hostNotValid,
            ]),
        // Adblock Plus filter syntax: exceptions and badfilter act on other lines.
        Example(
            format: "adblock-style rules",
            text: """
                [Adblock Plus 2.0]
                ||h1.example^
                ||h6.example^
                ||h7.example^
                ||sub.h7.example^
                @@||h7.example^
                ||h6.example^$badfilter
                @@||cdn.h1.example^
                ||path.example/ads/
                ||path2.example/ads^
                ||path3.example/ads/*
                ||0x0.example/8ics.py^$all
                |https://start.example/
                *.wild.example
                @@||other.example^
                """,
            entries: [
                "h1.example", "path.example/ads/", "path2.example/ads", "path3.example/ads/",
                "0x0.example/8ics.py",
                "start.example", "wild.example",
            ],
            dropped: [.exceptionNarrower]),
    ]

    @Test(arguments: examples) func readAsItIsMeant(_ example: Example) throws {
        let options = BlockListOptions(policy: .normalized)
        let (list, report) = try BlockListReader.read(
            ByteSource(bytes: Array(example.text.utf8), name: "list"), options: options)
        #expect(list.indices.map { list.string(at: $0) } == example.entries)
        #expect(report.format == example.format)
        for reason in Set(example.dropped) {
            #expect(report.count(of: reason) == example.dropped.count { $0 == reason }, "\(report)")
        }
        #expect(report.droppedCount == example.dropped.count, "\(report)")
    }

    /// Both forms: Apple's validation looks up the first, devices of iOS 27 the second.
    @Test func theTestEntryKeepsBothForms() throws {
        let text = "https://www.apple.com/url-filter-test\napple.com/url-filter-test\nwww.bad.example\n"
        let (list, _) = try BlockListReader.read(
            ByteSource(bytes: Array(text.utf8), name: "list"),
            options: BlockListOptions(policy: .normalized, removesDuplicates: true))
        #expect(
            list.indices.map { list.string(at: $0) } == [
                "www.apple.com/url-filter-test", "apple.com/url-filter-test", "bad.example",
            ])
    }

    /// Apple's tool takes any line; the report says which of them no device looks up.
    @Test func asWrittenCountsWhatIsNoEntry() throws {
        let text = "ok.example\nlocal=/bad.example/\na,b.example\n"
        let (list, report) = try BlockListReader.read(
            ByteSource(bytes: Array(text.utf8), name: "list"), options: BlockListOptions(format: .plain))
        #expect(list.count == 3)
        #expect(report.count(of: .notAnEntryKept) == 2)
        #expect(throws: BlockListError.self) { try report.requireUse(BlockListOptions()) }
    }

    @Test func exceptionsOfAnotherFileTakeEntriesOut() throws {
        var options = BlockListOptions(policy: .normalized)
        options.allowed = BlockList(["needed.example", "a.example/ok"])
        let text =
            "needed.example\nx.needed.example/p\nunneeded.example\na.example/ok/page\na.example/no\nb.example\n"
        let (list, report) = try BlockListReader.read(
            ByteSource(bytes: Array(text.utf8), name: "list"), options: options)
        #expect(
            list.indices.map { list.string(at: $0) } == ["unneeded.example", "a.example/no", "b.example"])
        #expect(report.count(of: .excepted) == 3)
    }
}
