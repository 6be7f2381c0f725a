import TestSupport
import URLFilter

/// Makes URLs that have every feature the rules distinguish, and configurations that use every option.
struct RandomURLs {
    var random: SplitMix

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
    }

    mutating func url() -> String {
        var url = random.pick(["https", "https", "http", "ws", "wss", "ftp", "custom+x", "HTTPS"]) + "://"
        if random.chance(5) { url += random.pick(["user@", "user:pass@", "a@b@"]) }
        url += host()
        if random.chance(15) { url += ":" + random.pick(["80", "443", "8080", "0", "65535", "007"]) }
        url += path()
        if random.chance(40) { url += "?" + query() }
        if random.chance(25) { url += "#" + random.pick(["", "top", "a/b", "Frag?x=1", "#"]) }
        return url
    }

    mutating func host() -> String {
        if random.chance(4) { return random.pick(["[::1]", "[2001:DB8::a]", "[::ffff:1.2.3.4]"]) }
        if random.chance(4) {
            return random.pick(["1.2.3.4", "255.255.255.255", "999.1.1.1", "1.2.3", "01.2.3.4"])
        }
        var labels = (0..<(1 + random.below(5))).map { _ in label() }
        if random.chance(30) { labels.insert(random.pick(["www", "www", "WWW", "ww"]), at: 0) }
        return labels.joined(separator: ".") + (random.chance(4) ? "." : "")
    }

    private mutating func label() -> String {
        random.pick(["a", "example", "com", "sub-1", "xn--bcher-kva", "Example", "x_y", "co", "uk", "0"])
    }

    mutating func path() -> String {
        if random.chance(10) { return "" }
        var path = ""
        for _ in 0..<random.below(6) {
            path += "/" + random.pick(["a", "B", "index.html", "..", ".", "%20", "%*", "", "x:y@z", "a;b=c"])
        }
        return path + (random.chance(50) ? "/" : "")
    }

    mutating func query() -> String {
        (0..<random.below(5)).map { _ in
            random.pick(["id", "ID", "external", "q", "", "type"])
                + random.pick(["", "=", "=1", "=a=b", "=/", "=%41"])
        }.joined(separator: "&")
    }

    mutating func configuration() -> ParsingConfiguration {
        var options = ParsingConfiguration()
        options.excludeScheme = random.chance(80)
        options.domain.excluded = random.chance(15)
        options.domain.stripWWW = random.chance(70)
        options.domain.levels = UInt(random.below(5))
        options.domain.enumerateHierarchy = random.chance(70)
        options.path.excluded = random.chance(20)
        options.path.segments = UInt(random.below(4))
        options.path.enumerateHierarchy = random.chance(70)
        options.query.excluded = random.chance(20)
        if random.chance(40) {
            options.query.parameters = random.pick([[], ["id"], ["type", "Id"], ["external", "q", ""]])
        }
        options.excludeFragment = random.chance(30)
        options.excludeIntermediates = random.chance(25)
        options.caseSensitive = random.chance(40)
        return options
    }

    mutating func rules() -> MatchingRules {
        switch random.below(4) {
        case 0: .iOS26
        case 1: .documented
        default: .iOS27(configuration())
        }
    }
}
