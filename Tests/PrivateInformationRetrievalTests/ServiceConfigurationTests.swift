import PrivateInformationRetrieval
import Testing

struct ServiceConfigurationTests {
    /// Shaped like the example in article "PIR protocol", section "Service configuration".
    private static let example = """
        {"users": [{"tier": "tier1", "tokens": ["AAAA"]}, {"tier": "tier2", "tokens": ["BBBB", "CCCC"]}],
         "usecases": [{"name": "a.url.filtering", "fileStem": "url", "shardCount": 4},
                      {"name": "b", "fileStem": "old/b", "shardCount": 1, "versionCount": 0}],
         "issuerRequestUri": "/issue", "reportDirectory": "reports"}
        """

    @Test func applesConfigurationIsRead() throws {
        let (configuration, unknownKeys) = try ServiceConfiguration.read(json: Array(Self.example.utf8))
        #expect(unknownKeys == [])
        #expect(configuration.users.map(\.tier) == ["tier1", "tier2"])
        #expect(configuration.users.map(\.tokens) == [["AAAA"], ["BBBB", "CCCC"]])
        #expect(configuration.usecases.map(\.name) == ["a.url.filtering", "b"])
        #expect(configuration.usecases.map(\.fileStem) == ["url", "old/b"])
        #expect(configuration.usecases.map(\.shardCount) == [4, 1])
        #expect(configuration.usecases.map(\.versionCount) == [2, 0])
        #expect(configuration.reportDirectory == "reports")
    }

    @Test(arguments: [
        ("[]", ""), ("{", ""), ("{}", "users"), ("{\"users\": {}}", "users"),
        ("{\"users\": [1]}", "users.0"), ("{\"users\": [{\"tier\": \"gold\"}]}", "users.0.tier"),
        ("{\"users\": [{\"tier\": \"tier1\"}]}", "users.0.tokens"),
        ("{\"users\": [{\"tier\": \"tier1\", \"tokens\": [\"A\", 2]}]}", "users.0.tokens.1"),
        ("{\"users\": []}", "usecases"),
        ("{\"users\": [], \"usecases\": [{}]}", "usecases.0.name"),
        (
            "{\"users\": [], \"usecases\": [{\"name\": \"a\", \"fileStem\": \"b\", \"shardCount\": 0}]}",
            "usecases.0.shardCount"
        ),
        (
            "{\"users\": [], \"usecases\": [{\"symmetricPirArguments\": {}, \"name\": \"a\"}]}",
            "usecases.0.symmetricPirArguments"
        ),
    ])
    func whatCannotBeUsedIsNamed(json: String, key: String) {
        let error = #expect(throws: ProcessConfigurationError.self) {
            try ServiceConfiguration.read(json: Array(json.utf8))
        }
        #expect(error?.key == key)
    }

    @Test func keysThatMeanNothingAreTold() throws {
        let json = """
            {"users": [{"tier": "tier1", "tokens": [], "colour": 1}], "usecases": [], "port": 8080}
            """
        #expect(
            try ServiceConfiguration.read(json: Array(json.utf8)).unknownKeys.map(\.path) == [
                "port", "users.0.colour",
            ])
    }

    /// A user token is a secret even where it should not stand.
    @Test func errorsRepeatNoToken() {
        let json = "{\"users\": [{\"tier\": \"tier1\", \"tokens\": [[\"SECRET\"]]}], \"usecases\": []}"
        let error = #expect(throws: ProcessConfigurationError.self) {
            try ServiceConfiguration.read(json: Array(json.utf8))
        }
        #expect(error.map { "\($0)".contains("SECRET") } == false)
    }
}
