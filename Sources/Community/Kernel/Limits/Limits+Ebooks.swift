/// The limits of e-books.
extension Limits {
    package struct Ebooks: Sendable {
        /// Bytes of an e-book as it is sent.
        @Limit("ebook.upload", "bytes") package var upload = 64 * 1024 * 1024
        /// Bytes of the e-books that one reader keeps, with their pages and pictures; and e-books of one reader.
        @Limit("ebook.quota", "bytes_per_account") package var quota = 2 * 1024 * 1024 * 1024
        @Limit("ebook.ebooks", "per_account") package var ebooks = 1_000
        /// Bytes of the pages of one, and of what is made of its pictures.
        @Limit("ebook.pages", "bytes") package var weight = 128 * 1024 * 1024
        @Limit("ebook.pictures", "bytes") package var drawn = 256 * 1024 * 1024
        /// Pages that one call gives.
        @Limit("ebook.range", "items") package var range = 20
        /// What reading one may take: bytes of addresses, bytes of what is made of it, and time.
        @Limit("ebook.reading_memory", "bytes") package var readingMemory = 1024 * 1024 * 1024
        @Limit("ebook.reading_file", "bytes") package var readingFile = 512 * 1024 * 1024
        @Limit("ebook.reading_time", "seconds") package var readingTime = Duration.seconds(40)
        /// E-books that are read at once in one process, and those that wait for it.
        let readings = 2
        let readingQueue = 4
        /// Pictures of e-books that are made at once in one process.
        let drawings = 2
        /// How long one call makes the pictures that an archive needs, before it says how far it is.
        let packingTime = Duration.seconds(10)
        /// Archives that are made or given away at once in one process, and for one account.
        let archives = 8
        let archivesEach = 2
        /// How long a picture is left alone that took too much time or memory.
        let drawingPause = Duration.seconds(3600)
        /// Pages that one statement stores.
        let stored = 50
        /// Seconds that clients may keep a page that everybody may read, and any other that is not lent.
        package let openAge = 31_536_000
        package let ownAge = 86_400
    }
    package static let ebooks = Ebooks()
}
