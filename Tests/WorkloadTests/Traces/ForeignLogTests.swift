import Testing
import Workload

/// Logs as the programs write them that schools and companies have; the requests are read off by hand.
@Suite struct ForeignLogTests {
    private static func read(_ text: String) throws -> (records: [TraceRecord], format: String, words: String)
    {
        let reader = try TraceReader(ByteSource(bytes: Array(text.utf8), name: "log"))
        var records: [TraceRecord] = []
        while let record = try reader.next() { records.append(record) }
        return (records, reader.format.description, reader.interpretation)
    }

    /// Apache httpd 2.4, mod_log_config: `%v:%p %h %l %u %t "%r" …` (vhost_combined of Debian), and `%v %h …` of its manual.
    @Test func virtualHosts() throws {
        let (records, _, words) = try Self.read(
            """
            bad.example:443 192.0.2.7 - - [26/Apr/2020:03:12:05 +0200] "GET /a HTTP/1.1" 200 5 "-" "UA"
            good.example:80 192.0.2.8 - - [26/Apr/2020:03:12:06 +0200] "GET /ads/ HTTP/1.1" 200 5 "-" "UA"
            plain.example 2001:db8::7 - ann [26/Apr/2020:03:12:07 +0200] "GET /b HTTP/1.1" 200 5

            """)
        #expect(
            records.map(\.url) == [
                "https://bad.example/a", "http://good.example/ads/", "https://plain.example/b",
            ])
        #expect(records.map(\.client) == ["192.0.2.7", "192.0.2.8", "2001:db8::7"])
        #expect(words == "host from the first word, client from the second")
    }

    /// The common form stays what it was, also with a user whose name has a blank.
    @Test func theFirstWordIsTheClientOtherwise() throws {
        let (records, _, words) = try Self.read(
            """
            192.0.2.7 - - [26/Apr/2020:03:12:05 +0200] "GET http://a.example/ HTTP/1.1" 200 5
            host.example - John Smith [26/Apr/2020:03:12:06 +0200] "GET http://b.example/ HTTP/1.1" 200 5

            """)
        #expect(records.map(\.client) == ["192.0.2.7", "host.example"])
        #expect(words.isEmpty)
    }

    /// W3C Extended Log File Format; IIS separates by blanks, CloudFront by tabs.
    @Test func namedFields() throws {
        let iis = try Self.read(
            """
            #Software: Microsoft Internet Information Services 10.0
            #Version: 1.0
            #Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs-host sc-status
            2024-01-02 10:00:01 192.0.2.1 GET /ads/a.html id=1 443 - 192.0.2.7 Mozilla/5.0+(X11) good.example 200
            2024-01-02 10:00:02 192.0.2.1 GET / - 80 - 192.0.2.8 Mozilla/5.0+(X11) good.example 200

            """)
        #expect(iis.records.map(\.url) == ["https://good.example/ads/a.html?id=1", "http://good.example/"])
        #expect(iis.records.map(\.client) == ["192.0.2.7", "192.0.2.8"])
        // 2024-01-02T10:00:01Z by `date -u +%s`.
        #expect(iis.records.first?.time == 1_704_189_601_000_000_000)
        #expect(
            iis.words
                == "url from cs-host + cs-uri-stem + cs-uri-query, client from c-ip, time from date + time")
        let cloud = try Self.read(
            "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status "
                + "cs(Referer) cs(User-Agent) cs-uri-query x-host-header cs-protocol\n"
                + "2014-04-28\t09:59:49\tLHR50\t1658497\t192.0.2.254\tGET\td111.cloudfront.example\t/user/a.mp4\t206\t-\t"
                + "Mozilla/5.0%2520(X11)\tx=1\tbad.example\thttps\n")
        #expect(cloud.records.map(\.url) == ["https://bad.example/user/a.mp4?x=1"])
        #expect(cloud.records.first?.client == "192.0.2.254" && cloud.records.first?.page == nil)
    }

    /// Zeek's http.log, with its header lines.
    @Test func zeek() throws {
        let (records, format, _) = try Self.read(
            "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\thttp\n"
                + "#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tmethod\thost\turi\treferrer\n"
                + "#types\ttime\tstring\taddr\tport\taddr\tport\tstring\tstring\tstring\tstring\n"
                + "1591367999.305988\tCMdzit1\t192.0.2.7\t53994\t198.51.100.1\t80\tGET\tbad.example\t/a?b=1\t-\n"
                + "#close\t2020-06-05-14-40-00\n")
        #expect(records.map(\.url) == ["http://bad.example/a?b=1"])
        #expect(records.first?.client == "192.0.2.7")
        #expect(records.first?.time == 1_591_367_999_305_988_000)
        #expect(format == "log with named fields (W3C extended or Zeek)")
    }

    @Test func fieldsWithoutAURLAreRefused() {
        #expect(throws: TraceError.self) {
            try Self.read("#Fields: date time c-ip sc-status\n2024-01-02 10:00:01 192.0.2.7 200\n")
        }
    }
}
