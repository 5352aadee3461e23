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
        /// Bytes of a publisher's or a series' name; of a date, a format or the like as printed; of a place in a series.
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
        /// Works with words of a beginning up to which the index of words is asked for it beside other words.
        package static let openWord = 20_000
        /// Matches that the index of words may give.
        package static let matches = 50_000
        /// Words that one misspelt word among others may stand for, and words of one query that are looked into.
        package static let corrections = 8
        package static let respelt = 6
        /// Suggestions while a query is being typed.
        package static let suggestions = 1...20
        package static let defaultSuggestions = 10
        /// Searches kept for each reader.
        package static let recent = 50
        /// Works indexed in one transaction.
        static let batch = 500
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
        /// What converting one picture may take: bytes of addresses, seconds of processor for each step, bytes of one file, and time.
        package static let conversionMemory = 512 * 1024 * 1024
        package static let conversionProcessorSeconds = 10
        package static let conversionFile = 64 * 1024 * 1024
        package static let conversionTime = Duration.seconds(15)
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
}
