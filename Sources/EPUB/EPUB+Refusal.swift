extension EPUB {
    /// Why a file is not read as a book.
    package enum Refusal: String, Error, Hashable, Sendable, Codable, CaseIterable {
        // The file
        case empty
        case unreadable
        case notZIP = "not_zip"
        case truncated
        case damaged
        case compression
        case tooManyMembers = "too_many_members"
        case inflatesTooMuch = "inflates_too_much"
        case overlapping
        case nameOutside = "name_outside"
        case nameInvalid = "name_invalid"
        case nameTwice = "name_twice"
        case encrypted
        case protected
        // The book
        case noContainer = "no_container"
        case noPackage = "no_package"
        case noSpine = "no_spine"
        case nothingToRead = "nothing_to_read"
        case documentTooLarge = "document_too_large"
        case documentTooComplex = "document_too_complex"
        case encoding
        case tooManyPages = "too_many_pages"
        // Plain text
        case textTooLarge = "text_too_large"
        case textNotUTF8 = "text_not_utf8"
        case textWithNUL = "text_with_nul"
        // One picture
        case noPicture = "no_picture"
        case pictureTooLarge = "picture_too_large"

        /// The stable name that interfaces show.
        package var code: String { rawValue }

        /// One line for a reader.
        package var sentence: String {
            switch self {
            case .empty: "The file is empty."
            case .unreadable: "The file could not be read."
            case .notZIP: "The file is no EPUB: it is not a ZIP archive."
            case .truncated: "The file breaks off: the end of the archive is missing."
            case .damaged: "The archive is damaged: what it says about its files is not true."
            case .compression: "The archive uses a compression that EPUB does not have."
            case .tooManyMembers: "The archive holds more files than a book may have."
            case .inflatesTooMuch: "The archive unpacks to more than a book may hold."
            case .overlapping: "Files in the archive overlap, as in an archive that is made to exhaust a server."
            case .nameOutside: "The archive names a file that would lie outside of the book."
            case .nameInvalid: "The archive names a file with characters that no name may have."
            case .nameTwice: "Two files in the archive have the same name."
            case .encrypted: "The archive is locked with a password."
            case .protected: "The book is protected by DRM and can be read only in its shop's own program."
            case .noContainer: "The archive is no EPUB: META-INF/container.xml is missing or names no book."
            case .noPackage: "The book's package document is missing or cannot be read."
            case .noSpine: "The book does not say in which order it is read: its spine is empty."
            case .nothingToRead: "The book has neither text nor pictures to read."
            case .documentTooLarge: "A chapter of the book is larger than can be read here."
            case .documentTooComplex: "A document of the book has more elements than can be read here."
            case .encoding: "A document of the book is in an encoding other than UTF-8, UTF-16 and Western European."
            case .tooManyPages: "The book has more pages than can be read here."
            case .textTooLarge: "The text is larger than can be read here."
            case .textNotUTF8: "The text is not in UTF-8."
            case .textWithNUL: "The file is no text: it holds bytes of zero."
            case .noPicture: "The book has no such picture."
            case .pictureTooLarge: "The picture is larger than can be shown here."
            }
        }
    }

    /// What is odd about a book that is read nevertheless.
    package struct Remark: Hashable, Sendable, Codable {
        package enum Code: String, Sendable, Codable, CaseIterable {
            /// `mimetype` is missing.
            case noMediaType = "no_media_type"
            /// `mimetype` names another type of file.
            case otherMediaType = "other_media_type"
            /// Fonts are obfuscated: they are not given out.
            case obfuscatedFonts = "obfuscated_fonts"
            /// Pages have a fixed layout, which is left out.
            case fixedLayout = "fixed_layout"
            /// The document was not well-formed and was repaired.
            case repaired
            /// The document held bytes that its encoding does not have.
            case badBytes = "bad_bytes"
            /// The spine or the manifest names a file that is not in the archive.
            case missingFile = "missing_file"
            /// The spine names an item that the manifest does not have.
            case missingItem = "missing_item"
            /// The spine names an item twice.
            case repeatedItem = "repeated_item"
            /// An item of the spine is of a type that cannot be read.
            case unreadableItem = "unreadable_item"
            /// The book has no contents, or they cannot be read.
            case noContents = "no_contents"
            /// The package document names no title, or no language.
            case noTitle = "no_title"
            case noLanguage = "no_language"
        }

        package let code: Code
        /// The file or the item, where the remark is about one.
        package let subject: String?
    }

    /// Remarks in the order in which they were made, each once.
    struct Remarks {
        private(set) var all: [Remark] = []
        let limit: Int

        mutating func add(_ code: Remark.Code, _ subject: String? = nil) {
            let remark = Remark(code: code, subject: subject.map { String($0.prefix(200)) })
            if all.count < limit, !all.contains(remark) { all.append(remark) }
        }
    }
}
