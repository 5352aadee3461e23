import Postgres

// What importers make of lines, whatever the format: the only thing that `Catalog.Intake` takes.

extension Catalog {
    /// One author as a source describes one.
    package struct AuthorRecord: Sendable, Equatable {
        /// `ol:OL118077A`.
        package var key: String
        package var name: String?
        package var aliases: [String] = []
        package var birth: String?
        package var death: String?
        package var about: String?
        package var stamp = Stamp()
    }

    /// One work as a source describes one.
    package struct WorkRecord: Sendable, Equatable {
        package var key: String
        package var title: String?
        package var subtitle: String?
        package var description: String?
        package var year: Int16?
        package var language: String?
        /// Keys of authors, in order.
        package var authors: [String] = []
        /// Slugs of `Genres`.
        package var genres: [String] = []
        package var subjects: [SubjectRecord] = []
        package var series: [SeriesRecord] = []
        package var rating: ImportedRating?
        package var stamp = Stamp()
    }

    /// One edition as a source describes one.
    package struct EditionRecord: Sendable, Equatable {
        package var key: String
        /// The work's key; the edition's own where the source names no work.
        package var work: String
        package var title: String?
        package var subtitle: String?
        /// Keys of authors: used for a work that is known through its editions alone.
        package var authors: [String] = []
        package var publisher: String?
        package var published: String?
        package var year: Int16?
        package var pages: Int32?
        package var language: String?
        package var format: String?
        package var isbns: [ISBN] = []
        package var stamp = Stamp()
    }

    package struct SubjectRecord: Sendable, Hashable {
        package var kind: String
        package var name: String
    }

    package struct SeriesRecord: Sendable, Equatable {
        package var name: String
        package var position: String?
        /// The first author's folded name.
        package var author: String

        /// The first number in the position; `nil` where there is none below a thousand million, the place of books
        /// without a number.
        var ordinal: Float? {
            guard let position else { return nil }
            let digits = position.drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." }
            // A billion is the place of those without a number.
            guard let number = Float(digits), number < 1e9 else { return nil }
            return number
        }
    }

    package struct ImportedRating: Sendable, Equatable {
        package var source: String
        /// How many gave 1...5 stars.
        package var stars: [Int32]
    }

    /// Tells versions of one record apart.
    package struct Stamp: Sendable, Equatable {
        /// The source's own count of changes, where it has one.
        package var revision: Int32?
        /// Of the content; never 0 (no record was read) or 1 (it ended). The highest byte is the version of the
        /// mapping, so that a better mapping is taken in.
        package var digest: Int64 = 0

        /// Of a deletion or a redirect: no content, so that a record of the same revision replaces it.
        static func ending(revision: Int32?) -> Stamp { Stamp(revision: revision, digest: 1) }

        /// Whether its source deleted or redirected what it stands for.
        var isEnding: Bool { digest == 1 }

        /// True where this version should replace `stored`. With revisions the order in which versions come does not
        /// matter; without, the last one to come holds.
        func replaces(_ stored: Stamp) -> Bool {
            guard let revision, let known = stored.revision else { return digest != stored.digest }
            return (revision, digest) > (known, stored.digest)
        }
    }

    /// What one record or line says.
    package enum Entry: Sendable {
        case author(AuthorRecord)
        case work(WorkRecord)
        case edition(EditionRecord)
        case redirect(Kind, from: String, to: String, Stamp)
        case deletion(Kind, key: String, Stamp)
        /// Nothing for a catalogue: another type of record.
        case foreign
    }

    package enum Kind: Sendable, Hashable {
        case author
        case work
        case edition
    }

    /// Why a line was refused.
    package struct Reject: Error, Sendable, Equatable {
        package var line: Int64 = 0
        /// Stable: `bad_json`, `bad_utf8`, `nul`, `lone_surrogate`, `too_long`, `columns`, `key`, `csv`, `missing`.
        package let code: String
        package let detail: String

        package init(_ code: String, _ detail: String) {
            self.code = code
            self.detail = detail
        }
    }
}

/// Hashes content: FNV-1a over bytes, 56 bits below the mapping's version.
struct Digest {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
        state = (state ^ 0xFF) &* 0x100_0000_01b3
    }

    /// 1 in the version's byte: raise it when the mapping of some source changes.
    var value: Int64 { Int64(bitPattern: (state ^ state >> 56) & 0x00FF_FFFF_FFFF_FFFF | 1 << 56) }
}
