import Postgres
import Synchronization

extension Suggestions {
    /// What is like each book, as it was worked out last. No viewer changes it, and it takes longer than all else on the page of a book.
    final class RelatedBooks: Sendable {
        /// What it follows from. While this is the same, what was worked out holds, but for what imports bring.
        struct Basis: RowReadable, Hashable {
            /// The generation that is shown; `nil`: none was made.
            let generation: Int64?
            let asOf: Timestamp?
            /// Of all books that are held out of rankings: 0 where none is.
            let held: Int64
            /// The last change that people made to the catalogue.
            let revision: Int64?

            init(_ columns: inout Columns) throws {
                (generation, asOf) = (try columns("id"), try columns("as_of"))
                (held, revision) = (try columns("held"), try columns("revision"))
            }
        }

        struct Entry: Sendable {
            let candidates: [Candidate<Relative.Reason>]
            let basis: Basis
            /// Books are out since this day or before.
            let today: CalendarDate
            let madeAt = ContinuousClock.now
        }

        /// After this it is worked out again: imports change the catalogue, too.
        static let time = Duration.seconds(600)
        /// Books of which it is kept: some 10 MB. Another one begins again.
        private static let room = 2_000

        private let entries = Mutex<[ID<Catalog.Work>: Entry]>([:])

        subscript(_ work: ID<Catalog.Work>) -> Entry? {
            get {
                entries.withLock { $0[work] }.flatMap { $0.madeAt.duration(to: .now) < Self.time ? $0 : nil }
            }
            set {
                entries.withLock { entries in
                    if entries[work] == nil, entries.count >= Self.room { entries = [:] }
                    entries[work] = newValue
                }
            }
        }
    }
}

extension Suggestions.Relative.Reason {
    /// The next of a series is by the same author as a rule, and crowds nobody out.
    var isSeries: Bool { if case .series = self { true } else { false } }
}

extension Suggestions.Statements {
    /// Always one row.
    struct RelatedBasis: Statement {
        static let sql: SQL<Self> = """
            select made.id, made.as_of,
                   (select coalesce(bit_xor(hashint8extended(held.work_id, 0)), 0)
                      from ranking_hold held
                     where held.until > \(\.now)) as held,
                   (select max(id) from catalog_revision) as revision
              from (values (1)) one
              left join related_current current on true
              left join related_generation made on made.id = current.generation_id
            """
        let now: Timestamp
        typealias Output = Suggestions.RelatedBooks.Basis
    }
}
