/// The entry that Apple asks every data set to have, in both of its forms.
///
/// Apple's validation fetches the form with `www.` before it approves a relay. Devices of iOS 27 take `www.` off every
/// URL, so that they look up the other one. A keyword database answers exact keywords, and so a list needs both
/// (article "Device", section "Onboarding and relay").
package enum TestEntry {
    /// Form that Apple's validation looks up.
    package static let validated = "www.apple.com/url-filter-test"
    /// Form that devices of iOS 27 look up.
    package static let onDevices = "apple.com/url-filter-test"

    package static let forms = [validated, onDevices]

    /// Nothing is wrong with either: that no device looks up one of them is no mistake of the list.
    static func isOne(_ entry: UnsafeBufferPointer<UInt8>) -> Bool {
        forms.contains { $0.utf8.elementsEqual(entry) }
    }
}
