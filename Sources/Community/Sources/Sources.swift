import Postgres

/// Books that we do not have yet: asked for at other catalogues, Google Books and Open Library.
///
/// **Off unless the owner says otherwise** (`COMMONPLACE_METADATA_SOURCES`). What the catalogue has is never asked for:
/// a book of that ISBN, or of that title and, where one is given, that author. No search waits for the network: a
/// look-up is a call of its own (`Store.lookUp`) or a job (`LookUp`).
///
/// **What goes out** (`Outgoing`): GET requests for addresses that this program makes from an ISBN, a title, or a key
/// of the catalogue's own form; nobody gives an address. Only the hosts of `Settings` are asked, over TLS, at an
/// address that was resolved and found to be public just before; redirects lead nowhere else. Time, bytes before and
/// after unpacking, redirects and requests at a time are bounded. After failures in a row a catalogue is left in peace
/// (`CircuitBreaker`), as long as it asks for with `Retry-After`.
///
/// **What comes in** is read by the bounded JSON reader of the imports, texts are clipped and markup taken out, and it
/// is kept with its source: `source_record` beside `edition_source`. A record is the same book as one that is there
/// where an ISBN is the same, or the normalised title and an author are: then only what was missing is filled in.
/// Anything else becomes a new work. A question that found nothing anywhere rests for a day.
///
/// **Covers** come by a job (`FetchCover`) through the same gate, are converted like every picture (`Media`) and are
/// ours from then on; no page ever names one of another server. Each is fetched once, and only for an edition that has
/// none: what a librarian sets or removes stays so.
///
/// **Refreshed** by a job: each record is read again after a month; one that is gone three times is not asked for
/// again, and the book stays.
///
/// **Limits**: `Limits.Sources`; look-ups per reader are counted by `Accounts.Throttle`. **Tables**: source_record,
/// source_silence. **Jobs**: `LookUp` and `FetchCover` (queue `sources`, two at a time), `Refresh` (hourly), `Sweep`
/// (daily). **Events**: none.
package enum Sources {
    /// A catalogue that can be asked.
    package enum Name: String, Sendable, CaseIterable, Codable {
        case google
        case openlibrary = "openlibrary"

        /// What stands before the colon in its keys.
        var prefix: String {
            switch self {
            case .google: "google"
            case .openlibrary: "ol"
            }
        }
    }

    /// What is asked.
    package enum Question: Hashable, Sendable {
        case isbn(ISBN)
        /// `Limits.sources.question` bytes each.
        case title(String, author: String?)

        /// Under which its silence is kept: the same question in another spelling is the same. At most 2,010 bytes.
        var key: String {
            switch self {
            case .isbn(let isbn): return "isbn:" + isbn.text
            case .title(let title, let author):
                // One character may fold to eighteen.
                let parts = [title, author ?? ""].map {
                    Normaliser.fold($0).clipped(to: 1000).text ?? ""
                }
                return "title:" + parts.joined(separator: "|")
            }
        }
    }

    /// One book as another catalogue describes it.
    package struct Record: Sendable {
        package let source: Name
        package let find: Catalog.Find
        /// Its page for people there.
        package let page: String
        /// What `MetadataSource.cover` is asked for; `nil` where the catalogue has no cover of it.
        package let cover: String?

        /// As in `edition_source`.
        var key: String { find.edition.key }
    }

    /// What became of asking one catalogue.
    package enum Outcome: String, Sendable, CaseIterable, Codable {
        case found, nothing
        /// It did not answer, or not sensibly.
        case failed
        /// It is left in peace after failures, or has too many requests already.
        case resting
    }

    /// What a look-up gave.
    package struct Answer: Sendable {
        /// Listed books, those that were there already among them.
        package let books: [Catalog.BookItem]
        package let asked: [(source: Name, outcome: Outcome)]
        /// Why nobody was asked: `nil` where somebody was.
        package let reason: Reason?

        /// Why an answer needed nobody else, or got nobody.
        package enum Reason: String, Sendable, CaseIterable {
            /// The catalogue has it.
            case known
            /// This server asks nobody.
            case off
            /// Nobody had it within the last day.
            case silence
        }
    }

    /// Where a book's facts came from.
    package struct Origin: Sendable {
        package let source: Name
        package let key: String
        package let edition: ID<Catalog.Edition>
        package let page: String
        package let fetchedAt: Timestamp
    }

    /// How the owner wants other catalogues to be asked.
    package struct Settings: Sendable {
        /// In the order in which their records are believed.
        package var enabled: [Name]
        /// Google Books asks less of who has one; `nil`: anonymous.
        package var googleKey: String?
        /// Instead of the public host, on loopback only: for tests.
        package var bases: [Name: Host]

        package init(enabled: [Name] = [], googleKey: String? = nil, bases: [Name: Host] = [:]) {
            self.enabled = enabled
            self.googleKey = googleKey
            self.bases = bases
        }

        /// Where `name` is reached.
        func host(of name: Name) -> Host {
            bases[name]
                ?? (name == .google
                    ? Host(isSecure: true, name: "www.googleapis.com", port: 443)
                    : Host(isSecure: true, name: "openlibrary.org", port: 443))
        }

        /// Where the covers of `name` are.
        func coverHost(of name: Name) -> Host {
            bases[name]
                ?? (name == .google
                    ? Host(isSecure: true, name: "books.google.com", port: 443)
                    : Host(isSecure: true, name: "covers.openlibrary.org", port: 443))
        }

        /// Whose hosts the covers' host may redirect to: Open Library keeps its older covers in the Internet Archive,
        /// on many machines.
        func coverDomains(of name: Name) -> Set<String> { name == .openlibrary ? ["archive.org"] : [] }
    }
}
