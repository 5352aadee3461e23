/// The limits of the catalogue, of browsing and searching it, and of pictures.
extension Limits {
    package struct Catalog: Sendable {
        /// Bytes; what is longer is cut at a character by imports.
        @Limit("book.title", "bytes") package var title = 1...2000
        @Limit("book.description", "bytes") package var description = 0...65_536
        @Limit("author.name", "bytes") package var name = 1...1000
        /// Authors, genres and series of one work.
        @Limit("book.authors", "items") package var authors = 100
        @Limit("book.genres", "items") package var genres = 20
        @Limit("book.series", "items") package var series = 20
        /// Years of first publication, and pages of an edition.
        @Limit("book.year", "years") package var year = -5000...2200
        @Limit("edition.pages", "pages") package var pages = 1...100_000
        /// How long an edition runs.
        @Limit("edition.minutes", "minutes") package var minutes = 1...100_000
        /// Bytes of what an edition says of how it can be read.
        @Limit("edition.accessibility_summary", "bytes") package var accessibilitySummary = 1...2000
        /// Bytes of a publisher's or a series' name; of a date, a format or the like as printed; of a place in a
        /// series.
        @Limit("series.name", "bytes") package var seriesName = 1...300
        @Limit("edition.publisher", "bytes") package var publisher = 1...300
        @Limit("edition.note", "bytes") package var note = 1...100
        @Limit("series.position", "bytes") package var position = 1...50
        /// Other names of one author, and ISBNs of one edition.
        @Limit("author.aliases", "items") package var aliases = 20
        /// Bytes of one that an import brings.
        let importedAlias = 200
        @Limit("edition.isbns", "items") package var isbns = 20
        /// Bytes of a genre's slug or label as it is sent, of an ISBN in any written form, of the name of a locked field.
        package let genreLabel = 1...100
        package let writtenISBN = 9...40
        package let fieldName = 1...25
        /// Fields of one thing that are locked.
        package let lockedFields = 20
        /// Subjects of one work, and bytes of each.
        @Limit("book.subjects", "items") package var subjects = 30
        @Limit("book.subject", "bytes") package var subject = 200
        /// Editions that a book's page lists: the first ones in the catalogue.
        @Limit("book.editions_on_page", "items") package var editionsOnPage = 50
        /// Bytes of a query.
        @Limit("search.query", "bytes") package var query = 1...1000
        /// Steps that are followed from a book to what it was merged into.
        @Limit("book.merges", "steps") package var merges = 8
        /// Books that one member adds in 24 hours, and corrections of one member that wait.
        @Limit("book.added", "per_day") package var booksPerDay = 100
        @Limit("proposal.open", "per_account") package var openProposals = 100
        /// Bytes of the reason of a change, or of the answer to a proposal.
        @Limit("proposal.reason", "bytes") package var changeReason = 0...2000
        /// Chapters of an edition that a revision of them shows.
        @Limit("revision.chapters", "items") package var shownChapters = 10
        /// Candidates that a refused book names.
        @Limit("book.near_duplicates", "items") package var nearDuplicates = 10
        /// Codes that are resolved in one call, and bytes of each.
        @Limit("isbn.codes", "items") package var codes = 100
        @Limit("isbn.code", "bytes") package var code = 200
        /// Books that one ISBN leads to.
        @Limit("isbn.books", "items") package var booksOfISBN = 5
        /// Bytes of what subjects, series and publishers are told apart by.
        let headingKey = 200
        /// Bytes of one line of an import file.
        @Limit("import.line", "bytes") package var importLine = 4 * 1024 * 1024
    }
    package static let catalog = Catalog()

    package struct Browse: Sendable {
        /// Books of a scope that is not big, at most.
        @Limit("browse.big_scope", "items") package var bigScope = 1_000
        /// Entries that one statement looks at for filters that no scope answers, and that a page does.
        package let walk = 500
        @Limit("browse.walk", "items") package var walked = 1_000
        /// Books that stand beside a genre.
        @Limit("genre.books", "items") package var genreBooks = 10
        /// Bytes of a title or a name as books are ordered by.
        @Limit("browse.key", "bytes") package var textKey = 60
        /// Marks whose books are rewritten in one transaction.
        let batch = 2_000
    }
    package static let browse = Browse()

    package struct Search: Sendable {
        /// Words of a query that count.
        @Limit("search.words", "items") package var words = 16
        /// Bytes of one word, in the index and in a query; a longer one is cut.
        @Limit("search.word", "bytes") package var word = 100
        /// Bytes of a title or an author's names as results are ordered by.
        @Limit("search.label", "bytes") package var label = 500
        /// Places for words in one work's row; words beyond it are not found.
        @Limit("search.places", "items") package var places = 2_000
        /// Most popular matches that are ranked for results, and for suggestions.
        @Limit("search.candidates", "items") package var candidates = 200
        package let suggestionCandidates = 50
        /// Most popular works that are looked at for matches before the index of words is asked.
        @Limit("search.walk", "items") package var walk = 20_000
        /// How many times as many works as the rarest word of a query a beginning may be in for the index of words to
        /// be asked for it too: for each the index takes about an eighth of what looking at a work does.
        @Limit("search.open_word", "times") package var openWord = 8
        /// Matches that the index of words may give.
        @Limit("search.matches", "items") package var matches = 50_000
        /// Words that one misspelt word among others may stand for, and words of one query that are looked into.
        @Limit("search.corrections", "per_word") package var corrections = 8
        @Limit("search.corrected_words", "per_query") package var respelt = 6
        /// Suggestions while a query is being typed.
        @Limit("search.suggestions", "items") package var suggestions = 1...20
        package let defaultSuggestions = 10
        /// Books that one ISBN leads to: sources repeat editions, and publishers their numbers.
        let booksOfIdentifier = 50
        /// Searches kept for each reader.
        @Limit("search.recent", "per_account") package var recent = 50
        /// Bytes by which one of them is told from another.
        package let recentLength = 2_000
        /// Works indexed in one transaction.
        let batch = 2_000
        /// Transactions that index beside each other where much is indexed at once.
        package let hands = 3
        /// Words that are remembered while much is indexed, so that they are not looked up for each batch.
        let knownWords = 300_000
        /// Works after whose indexing the words are counted at once instead of at night.
        let muchIndexed = 10_000
    }
    package static let search = Search()

    package struct Media: Sendable {
        /// Bytes of a picture as it is sent.
        @Limit("picture.upload", "bytes") package var upload = 8 * 1024 * 1024
        /// Pixels by its header, and of each side; the long one is at most `elongation` times the short one.
        @Limit("picture.pixels", "items") package var pixels = 24_000_000
        @Limit("picture.side", "pixels") package var side = 16...12_000
        @Limit("picture.elongation", "times") package var elongation = 8
        /// Pixels of the longer side of what is kept of a photograph, and of a side of what an edit leaves, at least.
        @Limit("photo.side", "pixels") package var masterSide = 4096
        @Limit("photo.least_side", "pixels") package var leastSide = 16
        /// Bytes of one file that is kept.
        @Limit("picture.file", "bytes") package var file = 16 * 1024 * 1024
        /// Bytes of the words that stand for a picture.
        @Limit("picture.alt", "bytes") package var alt = 1...1000
        /// Bytes that one reader stores.
        @Limit("picture.quota", "bytes_per_account") package var quota = 500 * 1024 * 1024
        /// Pictures that are converted at once, and that may wait.
        @Limit("picture.conversions", "items") package var conversions = 2
        @Limit("picture.conversion_queue", "items") package var conversionQueue = 8
        /// What converting one picture may take: bytes of addresses, seconds of processor for each step, bytes of one
        /// file, and time.
        @Limit("picture.conversion_memory", "bytes") package var conversionMemory = 512 * 1024 * 1024
        @Limit("picture.conversion_processor", "seconds") package var conversionProcessorSeconds = 10
        @Limit("picture.conversion_file", "bytes") package var conversionFile = 64 * 1024 * 1024
        @Limit("picture.conversion_time", "seconds") package var conversionTime = Duration.seconds(15)
        /// Time of conversion that one account has at once, the time in which so much comes back, and accounts that are
        /// counted.
        @Limit("picture.conversion_budget", "seconds_per_account") package var conversionBudget = Duration.seconds(60)
        @Limit("picture.conversion_window", "seconds") package var conversionWindow = Duration.seconds(1800)
        package let conversionAccounts = 100_000
        /// Bytes of the colour profile that a picture brings, unpacked, and those that its pixels may unpack to beyond
        /// what its header says.
        @Limit("picture.profile", "bytes") package var profile = 4 * 1024 * 1024
        package let inflatedRoom = 64 * 1024
        /// Times that a JPEG goes over its pixels.
        @Limit("picture.scans", "items") package var scans = 50
        /// Tiles that a HEIC is put together of, and the most boxes of one kind that it may have.
        @Limit("picture.tiles", "items") package var tiles = 256
        let boxes = 2_048
        /// Properties of one of its pictures, and bytes of what one tells its decoder.
        let properties = 32
        let parameters = 16 * 1024
        /// When a picture may be tried again that a full disk had no room for.
        package let roomRetry = Duration.seconds(60)
        /// Drawn covers that are kept, that may wait to be drawn, and callers that wait for theirs.
        @Limit("cover.drawn", "items") package var drawn = 20_480
        @Limit("cover.drawing_queue", "items") package var drawingQueue = 64
        @Limit("cover.drawing_waiters", "items") package var drawingWaiters = 6
        /// Covers that could not be drawn and are remembered, and for how long.
        @Limit("cover.undrawable", "items") package var undrawable = 4_096
        @Limit("cover.undrawable_time", "seconds") package var undrawableTime = Duration.seconds(3600)
        /// Files that are removed in one transaction.
        let cleared = 20
    }
    package static let media = Media()

    package struct Volumes: Sendable {
        /// Results that can be reached by `startIndex`.
        @Limit("volumes.depth", "items") package var depth = 500
        /// Results on one page, and where `maxResults` is left out.
        @Limit("volumes.page", "items") package var page = 0...40
        @Limit("volumes.usual_page", "items") package var defaultPage = 10
        /// Characters of a snippet.
        package let snippet = 200
    }
    package static let volumes = Volumes()

    package struct Sources: Sendable {
        /// Bytes of one answer of another catalogue, and of what it unpacks to.
        @Limit("source.answer", "bytes") package var answer = 1024 * 1024
        /// Seconds for one look-up, all its requests together, and for a connection to be made.
        @Limit("source.look_up_time", "seconds") package var lookUpSeconds: Int64 = 8
        @Limit("source.connect_time", "seconds") package var connectSeconds: Int64 = 3
        /// Look-ups at one catalogue at a time; what comes on top is refused.
        @Limit("source.in_flight", "items") package var inFlight = 4
        /// Redirects that are followed, to allowed hosts only.
        @Limit("source.redirects", "items") package var redirects = 3
        /// Books that are taken from one answer, and that Google Books is asked for.
        @Limit("source.books", "items") package var books = 5
        package let asked = 10
        /// Works of a search at Open Library that are taken, each of which costs three requests or more, and authors of
        /// one book.
        @Limit("source.searched", "items") package var searched = 3
        @Limit("source.authors", "per_book") package var authors = 5
        /// Names and categories of one volume of Google Books that are read.
        package let names = 100
        /// Bytes of a title or an author that is asked for.
        @Limit("source.question", "bytes") package var question = 1...500
        /// Bytes of a cover.
        @Limit("source.cover", "bytes") package var cover = 4 * 1024 * 1024
        /// Names of hosts that are resolved at once, and that may wait.
        @Limit("source.resolutions", "items") package var resolutions = 2
        package let resolutionQueue = 8
        /// Failures in a row after which a catalogue is left in peace, for how many seconds, and at most.
        @Limit("source.failures", "items") package var failures = 5
        @Limit("source.rest", "seconds") package var restSeconds: Int64 = 30
        @Limit("source.longest_rest", "seconds") package var longestRestSeconds: Int64 = 3600
        /// Look-ups of one reader in the hour that begins with the first.
        @Limit("source.look_ups", "per_hour") package var lookUpsPerHour = 60
        package let lookUpWindow: Duration = .seconds(3600)
        /// Hours in which a question that found nothing is not asked again.
        @Limit("source.silence", "hours") package var silenceHours: Int64 = 24
        /// Days after which a record is fetched again, and records in one run of that job.
        @Limit("source.refresh_age", "days") package var refreshDays: Int64 = 30
        @Limit("source.refreshed", "items") package var refreshed = 50
        /// Times that a record may be missing before it counts as gone.
        @Limit("source.misses", "items") package var misses = 3
    }
    package static let sources = Sources()
}
