import Foundation
import RandomStreams

extension BrowsingProfile {
    package static let presets: [BrowsingProfile] = [adult, light, schoolDay, office]

    /// The preset of this name.
    package static func preset(named name: String) -> BrowsingProfile? {
        presets.first { $0.name == name }
    }

    /// A grown-up with a computer and a phone, after the panel of article "Workload", section "One person".
    package static let adult = BrowsingProfile(
        name: "adult", visitsPerActiveDay: lognormal(median: 168, p95: 960), activeDayShare: 0.85,
        hourWeights: panelHours, weekdayWeights: [0.204, 0.159, 0.146, 0.134, 0.138, 0.100, 0.119])

    /// A grown-up who hardly browses: pages are a twentieth of the panel's, as where apps have replaced them.
    package static let light: BrowsingProfile = {
        var profile = adult
        profile.name = "light"
        profile.visitsPerActiveDay = lognormal(median: 8, p95: 46)
        return profile
    }()

    /// A pupil with a school device, used in lessons only.
    package static let schoolDay: BrowsingProfile = {
        var profile = BrowsingProfile(
            name: "school-day", visitsPerActiveDay: lognormal(median: 30, p95: 171), activeDayShare: 0.9,
            hourWeights: (0..<24).map { (8..<15).contains($0) ? 1 : 0 },
            weekdayWeights: [1, 1, 1, 1, 1, 0, 0])
        profile.maximumVisitsPerDay = 500
        return profile
    }()

    /// An employee at a desk, on work days.
    package static let office: BrowsingProfile = {
        var profile = BrowsingProfile(
            name: "office", visitsPerActiveDay: lognormal(median: 100, p95: 570), activeDayShare: 0.9,
            hourWeights: populationHours.enumerated().map { (7..<18).contains($0.offset) ? $0.element : 0 },
            weekdayWeights: [1, 1, 1, 1, 1, 0, 0])
        profile.sessionsPerActiveDay = 4
        profile.maximumVisitsPerDay = 1_500
        return profile
    }()

    /// Hours of the panel, moved from universal time to US Central daylight time.
    private static let panelHours = [
        0.009, 0.006, 0.004, 0.002, 0.002, 0.006, 0.023, 0.051, 0.054, 0.097, 0.095, 0.079,
        0.081, 0.091, 0.076, 0.062, 0.037, 0.039, 0.054, 0.033, 0.043, 0.029, 0.017, 0.011,
    ]

    /// Local hours of the visitors of a public server, article "Workload", section "Population over time".
    private static let populationHours = [
        0.033, 0.028, 0.024, 0.019, 0.017, 0.017, 0.018, 0.028, 0.044, 0.052, 0.055, 0.060,
        0.064, 0.064, 0.066, 0.065, 0.063, 0.052, 0.043, 0.039, 0.037, 0.039, 0.038, 0.037,
    ]

    private static func lognormal(median: Double, p95: Double) -> Distribution {
        .lognormal(mu: log(median), sigma: log(p95 / median) / StandardNormal.quantile95)
    }
}

extension BrowsingProfile {
    /// Every setting with its value and where the value comes from.
    ///
    /// A value that differs from the preset of the profile's name was set by
    /// the scenario; so is every value of a profile with a name of its own that
    /// differs from ``adult``.
    package var sources: [SourcedSetting] {
        let origin = Self.preset(named: name) ?? .adult
        return SourcedSetting.marking(settings(like: origin), against: origin.settings(like: origin))
    }

    private func settings(like origin: BrowsingProfile) -> [SourcedSetting] {
        let texts = Self.sourceTexts[origin.name] ?? [:]
        let values: [(String, String)] = [
            ("visitsPerActiveDay", "\(visitsPerActiveDay)"),
            ("visitPersistence", "\(visitPersistence)"),
            ("maximumVisitsPerDay", "\(maximumVisitsPerDay)"),
            ("sessionsPerActiveDay", "\(sessionsPerActiveDay)"),
            ("thinkSeconds", "\(thinkSeconds)"),
            ("thinkCutSeconds", "\(thinkCutSeconds)"),
            ("activeDayShare", "\(activeDayShare)"),
            ("hourWeights", "\(hourWeights)"),
            ("weekdayWeights", "\(weekdayWeights)"),
            ("timeZoneOffsetSeconds", "\(timeZoneOffsetSeconds)"),
            ("weekdayOfDayZero", "\(weekdayOfDayZero)"),
            ("siteRevisitShare", "\(siteRevisitShare)"),
            ("pageRevisitShare", "\(pageRevisitShare)"),
            ("favouriteShare", "\(favouriteShare)"),
            ("favouriteCount", "\(favouriteCount)"),
        ]
        return values.map { key, value in
            let source = texts[key] ?? Self.commonSourceTexts[key] ?? "assumption"
            return SourcedSetting(key: key, value: value, source: source)
        }
    }

    private static let commonSourceTexts = [
        "visitPersistence": "assumption: each day by itself",
        "thinkSeconds": #"article "Workload", section "Suggested defaults""#,
        "thinkCutSeconds": #"article "Workload", section "Suggested defaults""#,
        "timeZoneOffsetSeconds": "assumption: universal time",
        "weekdayOfDayZero": "assumption: the simulation starts on a Monday",
        "siteRevisitShare": #"article "Workload", section "Suggested defaults""#,
        "pageRevisitShare": #"article "Workload", section "Suggested defaults""#,
        "favouriteShare":
            #"article "Workload", section "One person": fitted to revisits within a day and ever"#,
        "favouriteCount": "assumption: no figure found",
    ]

    private static let sourceTexts: [String: [String: String]] = [
        "adult": [
            "visitsPerActiveDay": #"article "Workload", section "Suggested defaults""#,
            "maximumVisitsPerDay": "assumption: above the largest day of the panel, 1660 visits",
            "sessionsPerActiveDay": #"article "Workload", section "Suggested defaults""#,
            "activeDayShare": "assumption: the panel records active days only",
            "hourWeights":
                #"article "Workload", section "One person", moved 5 h to local time (assumption)"#,
            "weekdayWeights": #"article "Workload", section "One person""#,
        ],
        "light": [
            "visitsPerActiveDay": "assumption: a twentieth of the adult panel",
            "maximumVisitsPerDay": "assumption: as for adults",
            "sessionsPerActiveDay": "assumption: as for adults",
            "activeDayShare": "assumption: as for adults",
            "hourWeights": "assumption: as for adults",
            "weekdayWeights": "assumption: as for adults",
        ],
        "school-day": [
            "visitsPerActiveDay": """
            assumption: article "Workload", section "One person", 247 requests per school computer and day in 2002 \
            at about 8 a page; spread as for adults
            """,
            "maximumVisitsPerDay": "assumption: more than one visit a minute all day is not a lesson",
            "sessionsPerActiveDay": "assumption: as for adults",
            "activeDayShare": "assumption: one pupil in ten is absent or needs no device",
            "hourWeights":
                #"article "Workload", section "Suggested defaults", schools; even within (assumption)"#,
            "weekdayWeights": "assumption: Monday to Friday alike",
        ],
        "office": [
            "visitsPerActiveDay": "assumption: 0.6 of the adult panel, which counts private time too",
            "maximumVisitsPerDay": "assumption: 0.75 of the adult cap",
            "sessionsPerActiveDay": "assumption: one more than the adult panel",
            "activeDayShare": "assumption: absence of one day in ten",
            "hourWeights":
                #"article "Workload", section "Population over time", cut to 07-18 h (assumption)"#,
            "weekdayWeights": "assumption: Monday to Friday alike",
        ],
    ]
}
