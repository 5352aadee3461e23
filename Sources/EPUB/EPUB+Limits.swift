extension EPUB {
    /// How large one book and its parts may be. A book beyond one of them is refused, unless the field says otherwise.
    package struct Limits: Sendable {
        /// Files in the archive, folders among them.
        package var members = 10_000
        /// Bytes of all files in the archive, inflated.
        package var inflated = 512 << 20
        /// Bytes of one document, inflated.
        package var document = 16 << 20
        /// Bytes of one document that is not well-formed and is repaired.
        package var repairedDocument = 4 << 20
        /// Inflated bytes for each byte of the archive, for members of at least `ratioFloor` bytes.
        package var ratio = 200
        package var ratioFloor = 1 << 20
        /// Bytes of one picture; a larger one stays in the book and is not given out.
        package var picture = 64 << 20
        /// Bytes of a book that is plain text.
        package var plainText = 16 << 20
        /// Elements and pieces of text in one document.
        package var nodes = 500_000
        /// The same in a package document, its contents and the files of `META-INF`.
        package var packageNodes = 200_000
        /// Elements within each other in a document.
        package var depth = 200
        /// Attributes of one element, and names of namespaces in force at one place.
        package var attributes = 256
        /// Elements within each other in what comes out; deeper ones leave their contents.
        package var nesting = 32
        /// Bytes of HTML that one document may become.
        package var html = 64 << 20
        /// Bytes of one formula; a longer one becomes its text.
        package var formula = 64 << 10
        /// Pages of the book.
        package var pages = 100_000
        /// Entries in the contents, and their depth; further ones are left out, deeper ones stand at the last depth.
        package var contents = 10_000
        package var contentsDepth = 8
        /// Printed pages in the page list; further ones are left out.
        package var printedPages = 20_000
        /// Remarks on one book; further ones are left out.
        package var remarks = 100

        package init() {}

        /// Bytes of a file's name in the archive.
        static let name = 1_024
        /// Bytes of the archive's directory: `members` of the usual length.
        static let directory = 8 << 20
        /// Bytes of an address and of an identifier in a document; a longer one is left out.
        static let address = 2_000
        static let identifier = 200
        /// Characters of a title, a name and what else the package document says.
        static let fact = 1_000
        /// Characters of a picture's description.
        static let description = 2_000
        /// Bytes of style sheets that are searched for vertical writing.
        static let style = 1 << 20
    }
}
