package import FleetModel
import URLFilter
package import Workload

/// Strings that a scenario's filter has to know of a list: of the URL filter the list itself, of a mechanism
/// that sees hosts the hosts too.
package struct NamedStrings: Sendable {
    /// Every string that the filter may find in a URL.
    package let list: BlockList
    /// Number of entries that the size of the prefilter is chosen for.
    package let itemCount: Int
    package let filter: FilterSettings
    /// `nil` for the URL filter.
    package let mechanism: MechanismConfiguration?
    /// Found anywhere in a URL.
    package let substrings: SubstringIndex?

    /// - Parameter itemCount: Entries of the list that a prefilter's size is chosen for.
    package init(_ scenario: Scenario, list: BlockList, itemCount: Int) {
        var filter = scenario.filter
        if scenario.architecture == .hashPrefix {
            // Four bytes of a hash are by chance those of an entry.
            filter.shape = .falsePositiveTolerance(min(max(Double(list.count) / 0x1p32, 1e-9), 0.5))
        }
        self.filter = filter
        guard let settings = scenario.mechanism else {
            (self.list, self.itemCount, mechanism, substrings) = (list, itemCount, nil, nil)
            return
        }
        let seesHosts = settings.configuration.urlShare < 1
        let hosts = HostEntries(seesHosts ? list : BlockList())
        self.list = seesHosts ? hosts.union : list
        self.itemCount = seesHosts ? hosts.union.count : itemCount
        mechanism = settings.configuration(for: list, hosts: hosts)
        substrings = settings.matching == .substring ? SubstringIndex(settings.parts(of: list)) : nil
    }
}
