import Community
import Postgres

/// How numbers and times read in one language, by its texts under `format`.
struct Formats: Sendable {
    /// The keys that are read here.
    static let keys: Set<String> = [
        "date", "day", "month", "months", "group", "point", "now", "minutes", "hours", "days",
    ].reduce(into: []) { $0.insert("format." + $1) }

    private let texts: Texts
    private let months: [String]
    private let group: String
    private let point: String
    private let clock: any WallClock

    init(_ texts: Texts, clock: any WallClock) {
        self.texts = texts
        self.clock = clock
        months = (texts.text("format.months") ?? "").split(separator: ",").map { String($0) }
        group = texts.text("format.group") ?? ""
        point = texts.text("format.point") ?? "."
    }

    /// `28 November 2026` of `2026-11-28T08:00:00Z` or `2026-11-28`, `November 2026` of `2026-11`; what is no date stays.
    func date(_ text: String) -> String { filled("format.date", text) }

    /// The same without the year of a whole date.
    func day(_ text: String) -> String { filled("format.day", text) }

    private func filled(_ key: String, _ text: String) -> String {
        let parts = text.prefix(10).split(separator: "-").compactMap { Int($0) }
        guard parts.count >= 2, months.indices.contains(parts[1] - 1),
            let form = texts.text(parts.count == 3 ? key : "format.month")
        else { return text }
        return form.replacing("{day}", with: parts.count == 3 ? String(parts[2]) : "")
            .replacing("{month}", with: months[parts[1] - 1]).replacing("{year}", with: String(parts[0]))
    }

    /// Minutes, hours or days up to a month; then the date.
    func ago(_ text: String) -> String {
        guard let time = Timestamp(text: text) else { return date(text) }
        let minutes = (clock.now().microseconds - time.microseconds) / 60_000_000
        return switch minutes {
        case ..<1: texts.text("format.now") ?? text
        case ..<60: texts.count("format.minutes", minutes)
        case ..<1_440: texts.count("format.hours", minutes / 60)
        case ..<43_200: texts.count("format.days", minutes / 1_440)
        default: date(text)
        }
    }

    /// `12,345` of `12345`.
    func number(_ text: String) -> String {
        let digits = Array(text)
        guard digits.count > 3, digits.allSatisfy(\.isNumber) else { return text }
        var grouped = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place).isMultiple(of: 3) { grouped += group }
            grouped.append(digit)
        }
        return grouped
    }

    /// `4.2` of `4.2187`.
    func decimal(_ text: String) -> String {
        guard let value = Double(text), abs(value) < 1e15 else { return text }
        let tenths = Int((value * 10).rounded())
        return tenths.isMultiple(of: 10) ? String(tenths / 10) : "\(tenths / 10)\(point)\(abs(tenths % 10))"
    }

    /// Five glyphs, whole ones for whole stars: `★★★★☆` of `4.2`.
    func stars(_ text: String) -> String {
        let whole = Int(max(0, min(5, (Double(text) ?? 0).rounded())))
        return String(repeating: "★", count: whole) + String(repeating: "☆", count: 5 - whole)
    }

    /// `42 %` of a place in ten-thousandths.
    func percent(_ text: String) -> String {
        guard let place = Double(text), abs(place) < 1e15 else { return text }
        return "\(Int((place / 100).rounded(.down))) %"
    }

    /// `13` of `https://books.example.org/ebooks/7/pages/13?v=2`: what stands last in the path of an address.
    func last(_ text: String) -> String { String(text.prefix { $0 != "?" }.split(separator: "/").last ?? "") }

    /// The first words of a text: at most 200 characters.
    func brief(_ text: String) -> String {
        guard text.count > 200 else { return text }
        let start = text.prefix(200)
        return String(start.lastIndex(where: \.isWhitespace).map { start[..<$0] } ?? start) + "…"
    }
}
