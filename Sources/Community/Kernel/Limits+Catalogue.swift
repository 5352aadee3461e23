/// The limits of the catalogue, of browsing and searching it, and of pictures; their lines are in `Limits.table`.
extension Limits {
    package enum Catalog {
        /// Bytes; what is longer is cut at a character by imports.
        package static let title = 1...2000
        package static let description = 0...65_536
        package static let name = 1...1000
        /// Authors, genres and series of one work.
        package static let authors = 100
        package static let genres = 20
        package static let series = 20
        /// Years of first publication, and pages of an edition.
        package static let year = -5000...2200
        package static let pages = 1...100_000
        /// Bytes of a publisher's or a series' name; of a date, a format or the like as printed; of a place in a
        /// series.
        package static let imprint = 1...300
        package static let note = 1...100
        package static let position = 1...50
        /// Other names of one author, and ISBNs of one edition.
        package static let aliases = 20
        /// Bytes of one that an import brings.
        static let importedAlias = 200
        package static let isbns = 20
        /// Subjects of one work, and bytes of each.
        package static let subjects = 30
        package static let subject = 200
        /// Editions that a book's page lists: the first ones in the catalogue.
        package static let editionsOnPage = 50
        /// Bytes of a query.
        package static let query = 1...1000
        /// Steps that are followed from a book to what it was merged into.
        package static let merges = 8
        /// Books that one member adds in 24 hours, and corrections of one member that wait.
        package static let booksPerDay = 100
        package static let openProposals = 100
        /// Bytes of the reason of a change, or of the answer to a proposal.
        package static let changeReason = 0...2000
        /// Chapters of an edition that a revision of them shows.
        package static let shownChapters = 10
        /// Candidates that a refused book names.
        package static let nearDuplicates = 10
        /// Codes that are resolved in one call, and bytes of each.
        package static let codes = 100
        package static let code = 200
        /// Books that one ISBN leads to.
        package static let booksOfISBN = 5
        /// Bytes of what subjects, series and publishers are told apart by.
        static let headingKey = 200
        /// Bytes of one line of an import file.
        package static let importLine = 4 * 1024 * 1024
    }

    package enum Browse {
        /// Books of a scope that is not big, at most.
        package static let bigScope = 1_000
        /// Entries that one statement looks at for filters that no scope answers, and statements a page.
        package static let walk = 500
        package static let walks = 2
        /// Bytes of a title or a name as books are ordered by.
        package static let textKey = 60
        /// Marks whose books are rewritten in one transaction.
        static let batch = 2_000
    }

    package enum Search {
        /// Words of a query that count.
        package static let words = 16
        /// Bytes of one word, in the index and in a query; a longer one is cut.
        package static let word = 100
        /// Bytes of a title or an author's names as results are ordered by.
        package static let label = 500
        /// Places for words in one work's row; words beyond it are not found.
        package static let places = 2_000
        /// Most popular matches that are ranked for results, and for suggestions.
        package static let candidates = 200
        package static let suggestionCandidates = 50
        /// Most popular works that are looked at for matches before the index of words is asked.
        package static let walk = 20_000
        /// How many times as many works as the rarest word of a query a beginning may be in for the index of words to
        /// be asked for it too: for each the index takes about an eighth of what looking at a work does.
        package static let openWord = 8
        /// Matches that the index of words may give.
        package static let matches = 50_000
        /// Words that one misspelt word among others may stand for, and words of one query that are looked into.
        package static let corrections = 8
        package static let respelt = 6
        /// Suggestions while a query is being typed.
        package static let suggestions = 1...20
        package static let defaultSuggestions = 10
        /// Books that one ISBN leads to: sources repeat editions, and publishers their numbers.
        static let booksOfIdentifier = 50
        /// Searches kept for each reader.
        package static let recent = 50
        /// Works indexed in one transaction.
        static let batch = 2_000
        /// Transactions that index beside each other where much is indexed at once.
        package static let hands = 3
        /// Words that are remembered while much is indexed, so that they are not looked up for each batch.
        static let knownWords = 300_000
        /// Works after whose indexing the words are counted at once instead of at night.
        static let muchIndexed = 10_000
    }

    package enum Media {
        /// Bytes of a picture as it is sent.
        package static let upload = 8 * 1024 * 1024
        /// Pixels by its header, and of each side; the long one is at most `elongation` times the short one.
        package static let pixels = 24_000_000
        package static let side = 16...12_000
        package static let elongation = 8
        /// Bytes of the words that stand for a picture.
        package static let alt = 1...1000
        /// Bytes that one reader stores.
        package static let quota = 500 * 1024 * 1024
        /// Pictures that are converted at once, and that may wait.
        package static let conversions = 2
        package static let conversionQueue = 8
        /// What converting one picture may take: bytes of addresses, seconds of processor for each step, bytes of one
        /// file, and time.
        package static let conversionMemory = 512 * 1024 * 1024
        package static let conversionProcessorSeconds = 10
        package static let conversionFile = 64 * 1024 * 1024
        package static let conversionTime = Duration.seconds(15)
        /// Time of conversion that one account has at once, the time in which so much comes back, and accounts that are
        /// counted.
        package static let conversionBudget = Duration.seconds(60)
        package static let conversionWindow = Duration.seconds(1800)
        package static let conversionAccounts = 100_000
        /// Bytes of the colour profile that a picture brings, unpacked, and those that its pixels may unpack to beyond
        /// what its header says.
        package static let profile = 4 * 1024 * 1024
        package static let inflatedRoom = 64 * 1024
        /// Times that a JPEG goes over its pixels.
        package static let scans = 50
        /// When a picture may be tried again that a full disk had no room for.
        package static let roomRetry = Duration.seconds(60)
        /// Drawn covers that are kept, that may wait to be drawn, and callers that wait for theirs.
        package static let drawn = 20_480
        package static let drawingQueue = 64
        package static let drawingWaiters = 6
        /// Covers that could not be drawn and are remembered, and for how long.
        package static let undrawable = 4_096
        package static let undrawableTime = Duration.seconds(3600)
        /// Files that are removed in one transaction.
        static let cleared = 20
    }

    package enum Volumes {
        /// Results that can be reached by `startIndex`.
        package static let depth = 500
        /// Results on one page, and where `maxResults` is left out.
        package static let page = 0...40
        package static let defaultPage = 10
        /// Characters of a snippet.
        package static let snippet = 200
    }

    package enum Sources {
        /// Bytes of one answer of another catalogue, and of what it unpacks to.
        package static let answer = 1024 * 1024
        /// Seconds for one look-up, all its requests together, and for a connection to be made.
        package static let lookUpSeconds: Int64 = 8
        package static let connectSeconds: Int64 = 3
        /// Look-ups at one catalogue at a time; what comes on top is refused.
        package static let inFlight = 4
        /// Redirects that are followed, to allowed hosts only.
        package static let redirects = 3
        /// Books that are taken from one answer, and that Google Books is asked for.
        package static let books = 5
        package static let asked = 10
        /// Works of a search at Open Library that are taken, each of which costs three requests or more, and authors of
        /// one book.
        package static let searched = 3
        package static let authors = 5
        /// Names and categories of one volume of Google Books that are read.
        package static let names = 100
        /// Bytes of a title or an author that is asked for.
        package static let question = 1...500
        /// Bytes of a cover.
        package static let cover = 4 * 1024 * 1024
        /// Names of hosts that are resolved at once, and that may wait.
        package static let resolutions = 2
        package static let resolutionQueue = 8
        /// Failures in a row after which a catalogue is left in peace, for how many seconds, and at most.
        package static let failures = 5
        package static let restSeconds: Int64 = 30
        package static let longestRestSeconds: Int64 = 3600
        /// Look-ups of one reader in the hour that begins with the first.
        package static let lookUpsPerHour = 60
        package static let lookUpWindow: Duration = .seconds(3600)
        /// Hours in which a question that found nothing is not asked again.
        package static let silenceHours: Int64 = 24
        /// Days after which a record is fetched again, and records in one run of that job.
        package static let refreshDays: Int64 = 30
        package static let refreshed = 50
        /// Times that a record may be missing before it counts as gone.
        package static let misses = 3
    }

    static let catalog = [
        Line("book.title", Catalog.title, "bytes"),
        Line("book.description", Catalog.description, "bytes"),
        Line("book.authors", Catalog.authors, "items"),
        Line("book.genres", Catalog.genres, "items"),
        Line("book.series", Catalog.series, "items"),
        Line("book.subjects", Catalog.subjects, "items"),
        Line("book.subject", Catalog.subject, "bytes"),
        Line("book.year", Catalog.year, "years"),
        Line("series.name", Catalog.imprint, "bytes"),
        Line("series.position", Catalog.position, "bytes"),
        Line("edition.pages", Catalog.pages, "pages"),
        Line("edition.publisher", Catalog.imprint, "bytes"),
        Line("edition.note", Catalog.note, "bytes"),
        Line("edition.isbns", Catalog.isbns, "items"),
        Line("book.merges", Catalog.merges, "steps"),
        Line("book.editions_on_page", Catalog.editionsOnPage, "items"),
        Line("author.name", Catalog.name, "bytes"),
        Line("author.aliases", Catalog.aliases, "items"),
        Line("search.query", Catalog.query, "bytes"),
        Line("import.line", Catalog.importLine, "bytes"),
        Line("isbn.codes", Catalog.codes, "items"),
        Line("isbn.code", Catalog.code, "bytes"),
        Line("isbn.books", Catalog.booksOfISBN, "items"),
        Line("book.added", Catalog.booksPerDay, "per_day"),
        Line("book.near_duplicates", Catalog.nearDuplicates, "items"),
        Line("proposal.open", Catalog.openProposals, "per_account"),
        Line("proposal.reason", Catalog.changeReason, "bytes"),
        Line("revision.chapters", Catalog.shownChapters, "items"),
    ]

    static let browse = [
        Line("browse.big_scope", Browse.bigScope, "items"),
        Line("browse.walk", Browse.walk * Browse.walks, "items"),
        Line("browse.key", Browse.textKey, "bytes"),
    ]

    static let search = [
        Line("search.words", Search.words, "items"),
        Line("search.word", Search.word, "bytes"),
        Line("search.places", Search.places, "items"),
        Line("search.label", Search.label, "bytes"),
        Line("search.candidates", Search.candidates, "items"),
        Line("search.matches", Search.matches, "items"),
        Line("search.open_word", Search.openWord, "times"),
        Line("search.walk", Search.walk, "items"),
        Line("search.corrections", Search.corrections, "per_word"),
        Line("search.corrected_words", Search.respelt, "per_query"),
        Line("search.suggestions", Search.suggestions, "items"),
        Line("search.recent", Search.recent, "per_account"),
    ]

    static let media = [
        Line("picture.upload", Media.upload, "bytes"),
        Line("picture.pixels", Media.pixels, "items"),
        Line("picture.side", Media.side, "pixels"),
        Line("picture.elongation", Media.elongation, "times"),
        Line("picture.alt", Media.alt, "bytes"),
        Line("picture.quota", Media.quota, "bytes_per_account"),
        Line("picture.conversions", Media.conversions, "items"),
        Line("picture.conversion_queue", Media.conversionQueue, "items"),
        Line("picture.conversion_memory", Media.conversionMemory, "bytes"),
        Line("picture.conversion_processor", Media.conversionProcessorSeconds, "seconds"),
        Line("picture.conversion_file", Media.conversionFile, "bytes"),
        Line("picture.conversion_time", Media.conversionTime.components.seconds, "seconds"),
        Line("picture.conversion_budget", Media.conversionBudget.components.seconds, "seconds_per_account"),
        Line("picture.conversion_window", Media.conversionWindow.components.seconds, "seconds"),
        Line("picture.profile", Media.profile, "bytes"),
        Line("picture.scans", Media.scans, "items"),
        Line("cover.drawn", Media.drawn, "items"),
        Line("cover.drawing_queue", Media.drawingQueue, "items"),
        Line("cover.drawing_waiters", Media.drawingWaiters, "items"),
        Line("cover.undrawable", Media.undrawable, "items"),
        Line("cover.undrawable_time", Media.undrawableTime.components.seconds, "seconds"),
    ]

    static let volumes = [
        Line("volumes.depth", Volumes.depth, "items"),
        Line("volumes.page", Volumes.page, "items"),
        Line("volumes.usual_page", Volumes.defaultPage, "items"),
    ]

    static let sources = [
        Line("source.answer", Sources.answer, "bytes"),
        Line("source.look_up_time", Sources.lookUpSeconds, "seconds"),
        Line("source.connect_time", Sources.connectSeconds, "seconds"),
        Line("source.in_flight", Sources.inFlight, "items"),
        Line("source.redirects", Sources.redirects, "items"),
        Line("source.books", Sources.books, "items"),
        Line("source.searched", Sources.searched, "items"),
        Line("source.authors", Sources.authors, "per_book"),
        Line("source.question", Sources.question, "bytes"),
        Line("source.cover", Sources.cover, "bytes"),
        Line("source.resolutions", Sources.resolutions, "items"),
        Line("source.failures", Sources.failures, "items"),
        Line("source.rest", Sources.restSeconds, "seconds"),
        Line("source.longest_rest", Sources.longestRestSeconds, "seconds"),
        Line("source.look_ups", Sources.lookUpsPerHour, "per_hour"),
        Line("source.silence", Sources.silenceHours, "hours"),
        Line("source.refresh_age", Sources.refreshDays, "days"),
        Line("source.refreshed", Sources.refreshed, "items"),
        Line("source.misses", Sources.misses, "items"),
    ]
}
