import Foundation
import Testing

/// Laws that every page keeps, whatever it shows.
enum PageCheck {
    /// Letters of 12 pixels are about so wide in fonts of systems.
    private static let letterWidth = 6.6

    /// - Parameter name: Of the page, for complaints.
    static func check(_ page: ParsedPage, _ name: String) {
        #expect(page.isWellFormed, "\(name): \(page.complaint)")
        for element in page.elements where !["style", "script", "code"].contains(element.name) {
            #expect(element.text.firstMatch(of: /\d[eE][+-]\d/) == nil, "\(name): \(element.text)")
        }
        var (width, boxes): (Double, [(left: Double, right: Double, top: Double, bottom: Double)]) = (0, [])
        for element in page.elements {
            func number(_ key: String) -> Double { element.attributes[key].flatMap(Double.init) ?? 0 }
            switch element.name {
            case "svg": (width, boxes) = (number("width"), [])
            case "rect" where element.attributes["class"] == "box":
                boxes.append(
                    (
                        number("x"), number("x") + number("width"), number("y"),
                        number("y") + number("height")
                    ))
            case "text":
                let place = extent(of: element.text, at: number("x"), element.attributes["text-anchor"])
                // Estimates are a little too wide.
                #expect(
                    place.left > -8 && place.right < width + 8,
                    "\(name): '\(element.text)' from \(place.left) to \(place.right) of \(width)")
                for box in boxes
                where (box.left..<box.right).contains(number("x"))
                    && (box.top..<box.bottom).contains(number("y"))
                {
                    #expect(place.right <= box.right, "\(name): '\(element.text)' leaves its box")
                }
            default: break
            }
        }
    }

    private static func extent(of text: String, at x: Double, _ anchor: String?) -> (
        left: Double, right: Double
    ) {
        let width = letterWidth * Double(text.count)
        switch anchor {
        case "middle": return (x - width / 2, x + width / 2)
        case "end": return (x - width, x)
        default: return (x, x + width)
        }
    }
}
