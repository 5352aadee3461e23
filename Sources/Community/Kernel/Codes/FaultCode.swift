/// What is wrong with one field or parameter: the `code` of a fault in a problem's `errors`.
package enum FaultCode: String, CaseIterable, Sendable, Codable, CustomStringConvertible {
    case required
    case tooShort = "too_short"
    case tooLong = "too_long"
    case outOfRange = "out_of_range"
    case wrongType = "wrong_type"
    case badFormat = "bad_format"
    case badCharacter = "bad_character"
    case mismatch
    case unknown
    case unknownField = "unknown_field"
    case unknownParameter = "unknown_parameter"
    case duplicate
    case twice
    case tooMany = "too_many"
    case taken
    case reserved
    case tooCommon = "too_common"
    case wrong
    case own
    case oneself
    case same
    case noBook = "no_book"
    case notInSeries = "not_in_series"
    case unknownGenre = "unknown_genre"
    case pagesUnknown = "pages_unknown"
    case chaptersUnknown = "chapters_unknown"

    package var description: String { rawValue }

    /// One sentence: what the fault is.
    package var sentence: String { Self.sentences[self] ?? "" }

    private static let sentences: [FaultCode: String] = [
        .required: "The field or parameter must be given.",
        .tooShort: "The text or the list is shorter than it may be.",
        .tooLong: "The text or the list is longer than it may be.",
        .outOfRange: "The number lies outside of its bounds.",
        .wrongType: "The value has another type of JSON than it should.",
        .badFormat: "The value is not written as it should be.",
        .badCharacter: "The text has a character that it may not have.",
        .mismatch: "Two values do not go together.",
        .unknown: "The value is none of those that there are.",
        .unknownField: "The call reads no field of this name.",
        .unknownParameter: "The call reads no parameter of this name.",
        .duplicate: "A key stands twice in one object.",
        .twice: "The value is given more than once.",
        .tooMany: "There are more faults than are listed, or more parameters than are read.",
        .taken: "Somebody has this name or address already.",
        .reserved: "The name is kept for the server.",
        .tooCommon: "The password is one of the first that anybody would try.",
        .wrong: "The password is not the account's.",
        .own: "The thing is your own.",
        .oneself: "The reader is you.",
        .same: "The two things must be different ones.",
        .noBook: "The thing is about no book.",
        .notInSeries: "The book is no later one of the series.",
        .unknownGenre: "There is no such genre.",
        .pagesUnknown: "How many pages your copy has is not known.",
        .chaptersUnknown: "Where the chapters of the book begin is not known.",
    ]
}
