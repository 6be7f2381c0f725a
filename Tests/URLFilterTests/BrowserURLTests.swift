import Testing
import URLFilter

@Suite struct BrowserURLTests {
    /// Expectations by hand from the URL Standard, sections 3.5 and 4.4; the numeric hosts are those of its own examples and of
    /// "URLs and Hashing" of Google Safe Browsing.
    @Test(arguments: [
        ("http://3279880203/blah", "http://195.127.0.11/blah"),
        ("http://0xC37F000B/", "http://195.127.0.11/"),
        ("http://0303.0177.0.013", "http://195.127.0.11"),
        ("http://195.127.11", "http://195.127.0.11"),
        ("http://%31%36%38%2e%31%38%38%2e%39%39%2e%32%36/%2E/x", "http://168.188.99.26/x"),
        (" https://example.com/ ", "https://example.com/"),
        ("https:\\\\example.com\\a", "https://example.com/a"),
        ("https:example.com/a", "https://example.com/a"),
        ("https:////example.com/a", "https://example.com/a"),
        ("HTTPS://Example.COM/A/./B/../c", "https://example.com/A/c"),
        ("https://example.com/a/..", "https://example.com/"),
        ("https://example.com/a/%2e%2E/b", "https://example.com/b"),
        ("https://example.com/../../x", "https://example.com/x"),
        ("https://ex\tam\nple.com/a b?c d#e f", "https://example.com/a%20b?c%20d#e%20f"),
        ("https://user:pw@example.com:8443/a", "https://user:pw@example.com:8443/a"),
        ("https://faß.example/ü", "https://xn--fa-hia.example/ü"),
        ("https://[2001:DB8::1]:8443/a", "https://[2001:db8::1]:8443/a"),
        ("https://example.com", "https://example.com"),
        ("https://1.2.3.4.example/a", "https://1.2.3.4.example/a"),
    ])
    func asABrowserSendsIt(_ written: String, _ sent: String) throws {
        let url = try BrowserURL(written)
        #expect(url.text == sent)
        #expect(url.isChanged == (written != sent))
        #expect(try BrowserURL(sent).text == sent)
    }

    /// One message for each cause, and none that names another one.
    @Test(arguments: [
        ("mailto:a@example.com", URLParsingError.notWeb(scheme: "mailto"), "no web URL: scheme mailto"),
        ("blob:https://example.com/1", .notWeb(scheme: "blob"), "no web URL: scheme blob"),
        ("example.com/a", .noScheme, "the URL has no scheme; write for example https://example.com"),
        ("example.com:443/a", .noScheme, "the URL has no scheme; write for example https://example.com"),
        ("localhost:8080/a", .noScheme, "the URL has no scheme; write for example https://example.com"),
        ("https://", .noHost, "the URL has no host after its scheme"), ("   ", .empty, "the URL is empty"),
        (
            "https://exa mple.com/", .forbiddenInHost(0x20, host: "exa mple.com"),
            "the host 'exa mple.com' has a blank, which no host may have"
        ),
        (
            "https://a%25b.example/", .forbiddenInHost(0x25, host: "a%b.example"),
            "the host 'a%b.example' has the character '%', which no host may have"
        ),
    ])
    func messagesNameTheCause(_ written: String, _ error: URLParsingError, _ message: String) {
        #expect(throws: error) { try BrowserURL(written) }
        #expect(error.description == message)
    }
}
