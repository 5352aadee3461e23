import JSONWriting

extension Page.Scaled {
    /// Puts what a chart is drawn from: names of its own, from the figures in the answer.
    func put(into object: JSONObject, of answers: JSONTape) {
        switch self {
        case .ratings: object.put("ratings", Self.ratings(of: answers))
        case .year:
            let months = Self.months(of: answers)
            object.put("months", months)
            object.put("month_titles", max(1, months.map(\.titles).max() ?? 1))
            object.put("month_pages", max(1, months.map(\.pages).max() ?? 1))
            object.put(
                "year_titles",
                max(1, answers.numbers(at: ["answer", "statistics", "years"], "reading_count").max() ?? 1))
        }
    }

    private struct Stars: JSONForm {
        let stars: Int
        let count: Int

        func put(into object: JSONObject) {
            object.put("stars", stars)
            object.put("count", count)
        }
    }

    private struct Month: JSONForm {
        /// `2026-03`.
        let day: String
        let titles: Int
        let pages: Int

        func put(into object: JSONObject) {
            object.put("day", day)
            object.put("reading_count", titles)
            object.put("page_count", pages)
        }
    }

    /// Quarters of stars, as the API counts them, as whole ones: 4 stars are what is nearer to 4 than to 3 or 5. None where nobody rated.
    private static func ratings(of answers: JSONTape) -> [Stars] {
        let places = [["answer", "rating", "histogram"], ["answer", "statistics", "ratings", "histogram"]]
        guard let quarters = places.lazy.compactMap({ answers.value(at: $0) }).first.map({ answers.numbers(in: $0) }),
            quarters.count == 20, quarters.contains(where: { $0 > 0 })
        else { return [] }
        let ends = [0, 5, 9, 13, 17, 20]
        return (1...5).reversed().map { Stars(stars: $0, count: quarters[ends[$0 - 1]..<ends[$0]].reduce(0, +)) }
    }

    private static func months(of answers: JSONTape) -> [Month] {
        guard let year = answers.value(at: ["answer", "statistics", "year"]).map({ answers.text($0) }) else {
            return []
        }
        let (titles, pages) = (
            answers.numbers(at: ["answer", "statistics", "months"], "reading_count"),
            answers.numbers(at: ["answer", "statistics", "months"], "page_count")
        )
        return zip(titles, pages).enumerated().map { index, month in
            Month(day: "\(year)-\(index < 9 ? "0" : "")\(index + 1)", titles: month.0, pages: month.1)
        }
    }
}

extension JSONTape {
    /// Whole numbers in an array.
    fileprivate func numbers(in array: Int32) -> [Int] {
        guard values[Int(array)].kind == .array else { return [] }
        return elements(of: array).compactMap { Int(text($0)) }
    }

    /// The member `name` of each object of an array.
    fileprivate func numbers(at way: [String], _ name: String) -> [Int] {
        guard let array = value(at: way), values[Int(array)].kind == .array else { return [] }
        return elements(of: array).compactMap { member(Array(name.utf8), of: $0) }.compactMap { Int(text($0)) }
    }
}
