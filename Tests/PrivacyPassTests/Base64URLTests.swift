import Foundation
import PrivacyPass
import TestSupport
import Testing

struct Base64URLTests {
    /// RFC 4648, section 10; the last row has the two characters that differ from plain base64.
    @Test(
        "the RFC's examples are read and written",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"), ("~~~???", "fn5-Pz8_"),
        ])
    func publishedExamples(text: String, encoded: String) {
        #expect(Base64URL.encode(Array(text.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(text.utf8))
        let bare = encoded.prefix { $0 != "=" }
        #expect(Base64URL.decode(bare, padding: .optional) == Array(text.utf8))
        #expect((Base64URL.decode(bare) == nil) == encoded.contains("="))
    }

    @Test func bytesAreWrittenAsFoundationWritesThem() {
        var random = SplitMix(seed: 64)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let expected = Data(bytes).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_")
            #expect(Base64URL.encode(bytes) == expected)
            #expect(Base64URL.decode(expected) == bytes)
        }
    }

    @Test(
        "text in another form is refused",
        arguments: [
            "Zg=", "Zg===", "Zg====", "Z===", "Z", "=", "==", "====", "Zm9v=", "Zm9v====", "Z g=", "Zg==\n",
            "+/+/", "Zh==", "Zm9=", "Zg==Zg==", "Zmé=",
        ])
    func refused(text: String) {
        #expect(Base64URL.decode(text, padding: .required) == nil)
        #expect(Base64URL.decode(text, padding: .optional) == nil)
    }
}
