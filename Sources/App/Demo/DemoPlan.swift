import Community
import Postgres

/// Who does what when in the 60 days before the demonstration is loaded. The same data and the same day give the same plan.
struct DemoPlan: Sendable {
    /// Days that the demonstration goes back.
    static let days = 60

    enum Act: Sendable {
        case join(reader: Int)
        case ask(from: Int, to: Int)
        case accept(from: Int, to: Int)
        case shelve(reader: Int, book: ISBN, move: Library.Move)
        case review(reader: Int, book: ISBN, rating: Rating, text: String?)
    }

    /// In the order of time.
    let acts: [(at: Timestamp, act: Act)]

    init(_ data: DemoData, until now: Timestamp) {
        var dice = Dice(state: 0x00C0_FFEE)
        let start = now - .seconds(Int64(Self.days) * 86_400)
        // The last joined ten days ago: everybody had time for something.
        let joined = data.readers.indices.map { index in
            start + .seconds(Int64(index) * 50 * 86_400 / Int64(data.readers.count) + dice.below(20_000))
        }
        var acts: [(at: Timestamp, act: Act)] = joined.enumerated().map { ($1, .join(reader: $0)) }

        /// A moment after both were there for a day and before now; the later the likelier.
        func moment(after earliest: Timestamp, _ dice: inout Dice) -> Timestamp {
            let from = earliest + .seconds(26 * 3600)
            let span = max(0, (now - .seconds(600) - from).components.seconds)
            return from + .seconds(max(dice.below(span + 1), dice.below(span + 1)))
        }

        for (from, to) in Self.pairs(data.readers, &dice) {
            let asked = moment(after: max(joined[from], joined[to]), &dice)
            let accepted = min(asked + .seconds(60 + dice.below(12 * 3600)), now - .seconds(300))
            acts.append((asked, .ask(from: from, to: to)))
            acts.append((accepted, .accept(from: from, to: to)))
        }
        var shelfDice = Dice(state: 0x0B00_C5E1)
        var known: [Set<ISBN>] = []
        for (index, reader) in data.readers.enumerated() {
            let opinions = Self.opinions(of: reader, in: data, &dice)
            for opinion in opinions {
                let at = moment(after: joined[index], &dice)
                // A reader who has something to say has read it, a minute before at the latest.
                acts.append(
                    (
                        at - .seconds(60),
                        .shelve(reader: index, book: opinion.book, move: Self.read(at: at, &shelfDice))
                    ))
                acts.append(
                    (at, .review(reader: index, book: opinion.book, rating: opinion.rating, text: opinion.text)))
            }
            let shelves = Self.shelves(of: reader, besides: Set(opinions.map(\.book)), in: data, &shelfDice)
            for (book, status) in shelves {
                let at = moment(after: joined[index], &shelfDice)
                acts.append((at, .shelve(reader: index, book: book, move: Self.move(to: status, at: at, &shelfDice))))
            }
            known.append(Set(opinions.map(\.book) + shelves.map(\.book)))
        }
        acts += Self.bursts(in: data, besides: known, until: now)
        self.acts = acts.sorted { $0.at < $1.at }
    }

    /// Whose friend a reader is, in the order in which they became friends.
    func friends(of reader: Int) -> [Int] {
        acts.compactMap { act in
            guard case .accept(let from, let to) = act.act, from == reader || to == reader else { return nil }
            return from == reader ? to : from
        }
    }

    /// Friendships: everybody with four to eight others, mostly of like taste; each pair once.
    private static func pairs(_ readers: [DemoData.Reader], _ dice: inout Dice) -> [(Int, Int)] {
        var pairs: [(Int, Int)] = []
        var known = Set<[Int]>()
        for (index, reader) in readers.enumerated() {
            for _ in 0..<(4 + Int(dice.below(5))) {
                let kindred = readers.indices.filter {
                    $0 != index && !Set(readers[$0].favourites).isDisjoint(with: reader.favourites)
                }
                let choice = dice.below(10) < 7 && !kindred.isEmpty ? kindred : readers.indices.filter { $0 != index }
                let other = choice[Int(dice.below(Int64(choice.count)))]
                if known.insert([min(index, other), max(index, other)]).inserted { pairs.append((index, other)) }
            }
        }
        return pairs
    }

    private struct Opinion {
        let book: ISBN
        let rating: Rating
        let text: String?
    }

    /// A reader's written reviews, and 15 to 35 ratings of books that are mostly to the reader's taste.
    private static func opinions(of reader: DemoData.Reader, in data: DemoData, _ dice: inout Dice) -> [Opinion] {
        var opinions = data.reviews.filter { $0.username == reader.username }.map {
            Opinion(book: $0.isbn, rating: $0.rating, text: $0.text)
        }
        var known = Set(opinions.map(\.book))
        let liked = data.books.filter { !Set($0.genres).isDisjoint(with: reader.favourites) }
        for _ in 0..<(15 + Int(dice.below(21))) {
            let choice = dice.below(4) < 3 && !liked.isEmpty ? liked : data.books
            let book = choice[Int(dice.below(Int64(choice.count)))]
            guard known.insert(book.isbn).inserted, let rating = Self.rating(of: book, &dice) else { continue }
            opinions.append(Opinion(book: book.isbn, rating: rating, text: nil))
        }
        return opinions
    }

    /// Every book has a standing of its own, three to four and a half stars; readers differ from it by up to one and a half.
    private static func rating(of book: DemoData.Book, _ dice: inout Dice) -> Rating? {
        let standing = 12 + Int(book.isbn.value / 10 % 7)
        return Rating(quarters: min(20, max(4, standing + Int(dice.below(7) + dice.below(7)) - 6)))
    }
}

/// Reproducible chance: SplitMix64 (Steele, Lea and Flood, 2014).
struct Dice: Sendable {
    var state: UInt64

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// 0 ..< `bound`; 0 for a bound below 1.
    mutating func below(_ bound: Int64) -> Int64 { bound < 1 ? 0 : Int64(next() % UInt64(bound)) }
}
