import Foundation
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

    static func entries(
        _ text: String, _ options: BlockListOptions = BlockListOptions(policy: .normalized)
    ) throws
        -> (entries: [String], report: ReadReport)
    {
        let (list, report) = try BlockListReader.read(
            ByteSource(bytes: Array(text.utf8), name: "list"), options: options)
        return (list.indices.map { list.string(at: $0) }, report)
    }

    /// The form of abuse.ch's exports of ThreatFox: comments, a header in the last of them, a blank in front of each quote.
    @Test func threatFoxTable() throws {
        let (entries, report) = try Self.entries(
            """
            ################################################################
            # ThreatFox IOCs: recent - CSV format                          #
            ################################################################
            #
            # "first_seen_utc","ioc_id","ioc_value","ioc_type","threat_type","reference","tags","anonymous","reporter"
            "2023-06-01 05:30:06", "4322", "bad.example", "domain", "botnet_cc", "https://good.example/", "a,b", "0", "x"
            "2023-06-01 05:30:06", "4323", "http://evil.example/gate.php", "url", "botnet_cc", "", "", "0", "x"
            "2023-06-01 05:30:06", "4324", "192.0.2.7:443", "ip:port", "botnet_cc", "", "", "0", "x"
            "2023-06-01 05:30:06", "4325", "d41d8cd98f00b204e9800998ecf8427e", "md5_hash", "payload", "", "", "0", "x"

            """)
        #expect(entries == ["bad.example", "evil.example/gate.php", "192.0.2.7:443"])
        #expect(report.count(of: .filteredRow) == 1 && report.droppedCount == 0)
        #expect(report.format == "table separated by ',', column 'ioc_value'")
    }

    /// The same as JSON: objects in arrays, below the numbers of the indicators; and URLhaus's.
    @Test func indicatorsAsJSON() throws {
        let fox = try Self.entries(
            #"""
            {
              "4322": [{"ioc_value": "bad.example", "ioc_type": "domain", "tags": ["a", {"ioc_value": "no.example"}]}],
              "4325": [{"ioc_value": "d41d8cd98f00b204e9800998ecf8427e", "ioc_type": "md5_hash"}]
            }
            """#)
        #expect(fox.entries == ["bad.example"] && fox.report.format == "JSON objects, field 'ioc_value'")
        let house = try Self.entries(
            #"{"1":[{"dateadded":"2023-06-01","url":"http:\/\/evil.example\/x.exe","url_status":"online"}]}"#)
        #expect(house.entries == ["evil.example/x.exe"])
        #expect(
            throws: BlockListError.json(file: "list", line: 2, detail: "the document ends inside; it is cut")
        ) {
            try Self.entries("[{\"url\":\"http://evil.example/\"},\n{\"url\":")
        }
        // Objects without a host are JSON and nothing more.
        #expect(throws: BlockListError.notAList(.json, file: "list")) {
            try Self.entries(#"[{"url":"no host"}]"#)
        }
    }

    @Test func columnsThatTheUserNames() throws {
        var options = BlockListOptions(policy: .normalized)
        options.columns = .init(host: "Server", path: "File")
        let text = "id;server;file\n1;bad.example;/ads\n2;evil.example;x/y\n3;worse.example;\n"
        let (entries, _) = try Self.entries(text, options)
        #expect(entries == ["bad.example/ads", "evil.example/x/y", "worse.example"])
        options.columns = .init(host: "nothing")
        #expect(throws: BlockListError.columnsNotFound(["nothing"], file: "list")) {
            try Self.entries(text, options)
        }
    }

    /// A category of the lists of the Université Toulouse Capitole, as their archive unpacks.
    @Test func aFolderIsACategory() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "games").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            #expect(throws: InputError.isDirectory(path: path)) { try BlockListReader.read(path: path) }
            for (name, text) in [
                ("domains", "bad.example\n192.0.2.7\n"), ("urls", "good.example/games\n"),
                ("expressions", "(^|\\.)play[0-9]+\\.\n"), ("usage", "black\n"),
            ] { try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)")) }
            let (list, report) = try BlockListReader.read(
                path: path, options: BlockListOptions(policy: .normalized))
            #expect(
                list.indices.map { list.string(at: $0) } == [
                    "bad.example", "192.0.2.7", "good.example/games",
                ])
            #expect(report.source == path && report.format == "folder with domains, urls and expressions")
            #expect(report.count(of: .regularExpressionRule) == 1)
            #expect(report.examples.map(\.file) == ["\(path)/expressions"])
        }
    }

    @Test func aFileOfWhatMustNotBeBlockedIsReadWithTheList() throws {
        try withTemporaryFolder { folder in
            let (file, list) = (folder.appending(path: "allow").path, folder.appending(path: "list").path)
            try Data("needed.example\n".utf8).write(to: URL(filePath: file))
            try Data("a.needed.example\nbad.example\n".utf8).write(to: URL(filePath: list))
            var options = BlockListOptions(policy: .normalized)
            options.allowFile = file
            let result = try BlockListReader.read(path: list, options: options).list
            #expect(result.indices.map { result.string(at: $0) } == ["bad.example"])
        }
    }
}
