import Community
import Postgres

extension DemoPlan {
    /// Books that many take up in the last days, and how many days.
    static let books = 24
    static let daysOfBurst: Int64 = 3

    /// What makes books trend: of several genres, each taken up by four to seven readers who did not know it.
    static func bursts(
        in data: DemoData, besides known: [Set<ISBN>], until now: Timestamp
    ) -> [(at: Timestamp, act: Act)] {
        var dice = Dice(state: 0x0B00_57ED)
        var known = known
        var acts: [(at: Timestamp, act: Act)] = []
        for book in suddenlyRead(in: data, &dice) {
            for _ in 0..<(4 + dice.below(4)) {
                let reader = Int(dice.below(Int64(data.readers.count)))
                guard known[reader].insert(book.isbn).inserted else { continue }
                // The later the likelier.
                let ago = min(dice.below(daysOfBurst * 86_400), dice.below(daysOfBurst * 86_400))
                let status = [Library.Status.want, .reading, .reading, .read][Int(dice.below(4))]
                acts.append(
                    (now - .seconds(600 + ago), .shelve(reader: reader, book: book.isbn, move: Library.Move(status))))
            }
        }
        return acts
    }

    /// One book of each genre after the other, as long as there are any.
    private static func suddenlyRead(in data: DemoData, _ dice: inout Dice) -> [DemoData.Book] {
        var shelves: [String: [DemoData.Book]] = [:]
        for book in data.books { shelves[book.genres.first ?? "", default: []].append(book) }
        let genres = shelves.keys.sorted()
        var chosen: [DemoData.Book] = []
        while chosen.count < books, shelves.values.contains(where: { !$0.isEmpty }) {
            for genre in genres where chosen.count < books {
                guard let left = shelves[genre], !left.isEmpty else { continue }
                chosen.append(left[Int(dice.below(Int64(left.count)))])
                let taken = chosen[chosen.count - 1].isbn
                shelves[genre] = left.filter { $0.isbn != taken }
            }
        }
        return chosen
    }
}
