/// The limits of photographs.
extension Limits {
    package struct Photos: Sendable {
        /// Bytes of a photograph as it is sent.
        @Limit("photo.upload", "bytes") package var upload = 16 * 1024 * 1024
        /// Bytes that the photographs of one reader take in all their widths, and photographs of one reader.
        @Limit("photo.quota", "bytes_per_account") package var quota = 2 * 1024 * 1024 * 1024
        @Limit("photo.photos", "per_account") package var photos = 10_000
        /// Bytes of what a reader says of one, and of the words in it.
        @Limit("photo.comment", "bytes") package var comment = 1...2_000
        @Limit("photo.words", "bytes") package var words = 1...100_000
        /// Photographs of the caller that a book's page shows: the newest.
        @Limit("photo.on_page", "items") package var onPage = 6
        /// What reading the words of one may take: bytes of addresses, bytes of one file, and time.
        @Limit("photo.reading_memory", "bytes") package var readingMemory = 1024 * 1024 * 1024
        let readingFile = 64 * 1024 * 1024
        @Limit("photo.reading_time", "seconds") package var readingTime = Duration.seconds(60)
        /// The mean of words that are kept, in hundredths: what is less sure than that is no writing.
        let leastConfidence = 30
        /// Photographs whose words are taken up at a time once they can be read.
        let takenUp = 500
    }
    package static let photos = Photos()
}
