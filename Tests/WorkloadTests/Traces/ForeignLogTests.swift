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

    /// The examples of Amazon's guides to application and classic load balancers. Seconds by `date -u +%s`.
    @Test func loadBalancers() throws {
        let (records, format, words) = try Self.read(
            """
            http 2018-07-02T22:23:00.186641Z app/my-loadbalancer/50dc6c495c0c9188 192.168.131.39:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 366 "GET http://www.example.com:80/ HTTP/1.1" "curl/7.46.0" - - arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-targets/73e2d6bc24d8a067 "Root=1-58337262-36d228ad5d99923122bbe354" "-" "-" 0 2018-07-02T22:22:48.364000Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-"
            https 2018-07-02T22:23:00.186641Z app/my-loadbalancer/50dc6c495c0c9188 [2001:db8::7]:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "GET https://www.example.com:443/a?b=1 HTTP/1.1" "curl/7.46.0" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:x "Root=1" "www.example.com" "arn:aws:acm:x" 1 2018-07-02T22:22:48.364000Z "authenticate,forward" "-" "-" "10.0.0.1:80" "200" "-" "-"
            2015-05-13T23:39:43.945958Z my-loadbalancer 192.168.131.39:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29 "GET http://www.example.com:8080/x HTTP/1.1" "curl/7.38.0" - -
            2015-05-13T23:39:43.945958Z my-loadbalancer 192.168.131.39:2817 10.0.0.1:80 0.001069 0.000028 0.000041 - - 82 305 "- - - " "-" - -

            """)
        #expect(
            records.map(\.url) == [
                "http://www.example.com:8080/x", "http://www.example.com/", "https://www.example.com/a?b=1",
            ])
        #expect(records.map(\.client) == ["192.168.131.39", "192.168.131.39", "2001:db8::7"])
        #expect(
            records.map(\.time) == [
                1_431_560_383_945_958_000, 1_530_570_180_186_641_000, 1_530_570_180_186_641_000,
            ])
        #expect(format == "log of an AWS load balancer" && words.hasPrefix("url from the request"))
    }

    /// The log of dnsmasq and Pi-hole, plain and with `log-queries=extra`, over the turn of a year that it does not name.
    @Test func resolverLogs() throws {
        let reader = try TraceReader(
            ByteSource(
                bytes: Array(
                    """
                    Dec 31 23:59:59 dnsmasq[412]: query[A] bad.example from 192.168.1.5
                    Dec 31 23:59:59 dnsmasq[412]: gravity blocked bad.example is 0.0.0.0
                    Jan  1 00:00:01 router dnsmasq[412]: 45 192.168.1.6/51234 query[A] www.good.example from 192.168.1.6
                    Jan  1 00:00:01 dnsmasq[412]: query[AAAA] www.good.example from 192.168.1.6
                    Jan  1 00:00:01 dnsmasq[412]: query[A] printer from 192.168.1.6

                    """.utf8), name: "pihole.log"))
        var records: [TraceRecord] = []
        while let record = try reader.next() { records.append(record) }
        // Seconds of 2000-12-31 and 2001-01-01 by `date -u +%s`.
        #expect(
            records == [
                TraceRecord(
                    time: 978_307_199_000_000_000, client: "192.168.1.5", url: "https://bad.example/"),
                TraceRecord(
                    time: 978_307_201_000_000_000, client: "192.168.1.6", url: "https://www.good.example/"),
            ])
        let report = reader.report
        #expect(report.count(of: .otherLogLine) == 1 && report.count(of: .sameVisit) == 1)
        #expect(report.count(of: .pathUnknown) == 2 && report.count(of: .yearAssumed) == 4)
        #expect(report.count(of: .notAWebAddress) == 1)
    }

    /// AdGuard Home's querylog.json and NextDNS's export.
    @Test func resolverExports() throws {
        let home = try Self.read(
            #"""
            {"T":"2023-06-01T00:00:00.5+02:00","QH":"bad.example","QT":"A","QC":"IN","CP":"","IP":"192.168.1.5","Result":{"IsFiltered":true,"Reason":3,"Rules":[{"Text":"||bad.example^"}]},"Elapsed":95}
            {"T":"2023-06-01T00:00:01Z","QH":"bad.example","QT":"HTTPS","QC":"IN","CP":"","IP":"192.168.1.5","Result":{},"Elapsed":95}

            """#)
        #expect(
            home.records == [
                TraceRecord(
                    time: 1_685_570_400_500_000_000, client: "192.168.1.5", url: "https://bad.example/"),
                // Two hours later in UTC, so another visit.
                TraceRecord(
                    time: 1_685_577_601_000_000_000, client: "192.168.1.5", url: "https://bad.example/"),
            ])
        #expect(home.words == "url from qh, client from ip, time from t as date and time")
        let next = try Self.read(
            """
            timestamp,domain,query_type,dnssec,protocol,client_ip,status,reasons,destination_country,root_domain,device_id,device_name
            2023-06-01T00:00:00.000Z,api.bad.example,A,false,DNS-over-HTTPS,192.0.2.7,blocked,blocklist:x,,bad.example,8C9B1,iPad
            2023-06-01T00:00:00.000Z,api.bad.example,AAAA,false,DNS-over-HTTPS,192.0.2.7,blocked,,,bad.example,8C9B1,iPad
            2023-06-01T00:00:00.000Z,good.example,A,false,UDP,192.0.2.7,,,,good.example,,

            """)
        #expect(next.records.map(\.url) == ["https://api.bad.example/", "https://good.example/"])
        #expect(next.records.map(\.client) == ["8C9B1", "192.0.2.7"])
    }

    /// nginx's `escape=json`, the Elastic Common Schema (dotted and nested, and as a search gives it), Zeek and Caddy.
    @Test(
        arguments: [
            (
                #"{"time_local":"01/Jun/2023:02:00:00 +0200","remote_addr":"192.0.2.7","request":"GET /a?b=1 HTTP/1.1","http_host":"bad.example","scheme":"https"}"#,
                "https://bad.example/a?b=1"
            ),
            (
                #"{"time_iso8601":"2023-06-01T00:00:00+00:00","remote_addr":"192.0.2.7","request_method":"GET","uri":"/a","args":"b=1","host":"bad.example","scheme":"http"}"#,
                "http://bad.example/a?b=1"
            ),
            (
                #"{"@timestamp":"2023-06-01T00:00:00.000Z","url.full":"https://bad.example/a?b=1","url.domain":"bad.example","source.ip":"192.0.2.7","host.name":"web1"}"#,
                "https://bad.example/a?b=1"
            ),
            (
                #"{"@timestamp":"2023-06-01T00:00:00.000Z","host":{"name":"web1"},"url":{"domain":"bad.example","path":"/a","query":"b=1","scheme":"http"},"http":{"request":{"method":"GET"}},"source":{"ip":"192.0.2.7","geo":{}}}"#,
                "http://bad.example/a?b=1"
            ),
            (
                #"{"_index":"x","_source":{"@timestamp":"2023-06-01T00:00:00.000Z","url":{"original":"/a?b=1","domain":"bad.example"},"source":{"ip":"192.0.2.7"}}}"#,
                "https://bad.example/a?b=1"
            ),
            (
                #"{"ts":1685577600.0,"uid":"CMdzit1","id.orig_h":"192.0.2.7","id.resp_p":80,"method":"GET","host":"bad.example","uri":"/a?b=1","referrer":"-"}"#,
                "http://bad.example/a?b=1"
            ),
            (
                #"{"ts":1685577600.0,"uid":"C","id.orig_h":"192.0.2.7","query":"bad.example","qtype_name":"A"}"#,
                "https://bad.example/"
            ),
            (
                #"{"level":"info","ts":1685577600.0,"request":{"remote_ip":"192.0.2.7","method":"GET","host":"bad.example","uri":"/a","headers":{}}}"#,
                "https://bad.example/a"
            ),
        ])
    func structuredLogs(line: String, url: String) throws {
        let (records, _, _) = try Self.read(line + "\n")
        #expect(records.map(\.url) == [url])
        #expect(records.map(\.client) == ["192.0.2.7"])
        #expect(records.allSatisfy { $0.page == nil })
        #expect(records.map(\.time) == [1_685_577_600_000_000_000])
    }

    /// One visit at 2023-06-01T00:00:00Z, in the times of Chromium (since 1601), Firefox, Safari (since 2001) and of exports.
    @Test(
        arguments: [
            "url,title,visit_count,last_visit_time\nhttps://bad.example/a,\"x, y\",1,13330051200000000\n",
            "url,title,visit_date\nhttps://bad.example/a,x,1685577600000000\n",
            "url\tvisit_time\nhttps://bad.example/a\t707270400.0\n",
            #"[{"id":"1","lastVisitTime":1685577600000.0,"title":"]}","url":"https://bad.example/a"}]"#,
            "[\n  {\n    \"url\": \"https://bad.example/a\",\n    \"visitTime\": 1685577600000\n  }\n]\n",
            #"{"oldest":"x","data":[{"time":"2023-06-01T00:00:00Z","url":"https://bad.example/a","answer":[{"ttl":1}]}]}"#,
            #"{"Browser History":[{"page_transition":"LINK","title":"{","url":"https://bad.example/a","time_usec":1685577600000000}]}"#,
            """
            {
              "metadata": {"browser_name": "Safari", "data_type": "history", "export_time_usec": 1},
              "history": [
                {"url": "https://bad.example/a", "time_usec": 1685577600000000, "visit_count": 1}
              ]
            }
            """,
        ])
    func historyOfBrowsers(text: String) throws {
        let (records, _, _) = try Self.read(text)
        #expect(
            records == [
                TraceRecord(time: 1_685_577_600_000_000_000, client: "log", url: "https://bad.example/a")
            ])
    }

    @Test func aCutDocumentNamesItsLine() throws {
        let reader = try TraceReader(
            ByteSource(
                bytes: Array("[\n{\"url\":\"https://a.example/\",\"time\":1}\n,{\"url\":".utf8), name: "log"))
        #expect(
            throws: TraceError.notJSON(file: "log", line: 3, detail: "the document ends inside; it is cut")
        ) {
            while try reader.next() != nil {}
        }
    }

    @Test func columnsByName() throws {
        var options = TraceOptions()
        for (role, name) in [
            (TraceRole.host, "server"), (.path, "file"), (.query, "arguments"), (.time, "at"),
            (.client, "who"),
        ] { options.columns[role] = name }
        let reader = try TraceReader(
            ByteSource(
                bytes: Array(
                    "at;who;server;file;arguments\n2023-06-01 00:00:00;ann;bad.example;/a;b=1\n".utf8),
                name: "log"), options: options)
        let record = try #require(try reader.next())
        #expect(record.url == "https://bad.example/a?b=1" && record.client == "ann")
        #expect(
            reader.interpretation
                == "url from server + file + arguments, client from who, page from nothing, time from at as date and time"
        )
    }

    /// PowerShell's `Export-Csv` of Windows writes it.
    @Test func utf16() throws {
        let text = "\u{FEFF}time,client,url\r\n2023-06-01T00:00:00Z,b\u{FC}ro,https://bad.example/a\r\n"
        let data = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let reader = try TraceReader(ByteSource(bytes: data, name: "log"))
        #expect(try reader.next()?.client == "b\u{FC}ro")
        #expect(reader.report.format == "table separated by ',', UTF-16")
    }
}
