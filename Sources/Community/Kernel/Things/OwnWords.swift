import Postgres

/// The words of what readers keep for themselves: a row of `own_words` for each note, part of a note, photograph and
/// bookmark that has words, written with it in one transaction. Its owner alone finds it by them.
package enum OwnWords {
    /// What says the words.
    package enum Kind: String, Sendable, CaseIterable, PostgresText {
        /// The title of a note.
        case note
        /// Parts of a note.
        case text, quote
        case photo, bookmark

        /// What an access token needs to read it.
        package var area: String {
            switch self {
            case .note, .text, .quote: "notebook"
            case .photo: "photos"
            case .bookmark: "library"
            }
        }
    }

    /// Words in place of those before. None take the row away.
    struct Put: Statement {
        static let sql: SQL<Self> = """
            with gone as (
                delete from own_words where kind = \(\.kind) and id = \(\.id) and \(\.words) = ''
            )
            insert into own_words (kind, id, reader_id, work_id, words)
            select \(\.kind), \(\.id), \(\.reader), \(\.work), \(\.words)::text::tsvector || ('''#' || \(\.reader)::bigint::text || '''')::tsvector
             where \(\.words) <> ''
                on conflict (kind, id) do update set words = excluded.words, work_id = excluded.work_id
            """
        let kind: Kind, id: Int64, reader: ID<Accounts.Account>, work: ID<Catalog.Work>
        /// As `WordVector` makes them.
        let words: String

        /// `plain`: what it says, as it was written: marks and inline spoilers are found by their owner, too.
        init<Entity>(
            _ kind: Kind, _ id: ID<Entity>, of reader: ID<Accounts.Account>, in work: ID<Catalog.Work>,
            plain: String
        ) {
            (self.kind, self.id, self.reader, self.work) = (kind, id.rawValue, reader, work)
            words = WordVector.text(title: nil, plain: plain)
        }
    }

    struct Drop: Statement {
        static let sql: SQL<Self> = "delete from own_words where kind = \(\.kind) and id = any(\(\.ids))"
        let kind: Kind, ids: [Int64]

        init<Entity>(_ kind: Kind, _ ids: [ID<Entity>]) {
            self.kind = kind
            self.ids = ids.map(\.rawValue)
        }
    }
}
