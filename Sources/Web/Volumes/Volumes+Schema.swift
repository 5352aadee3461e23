import Community
import HTTPTypes

extension Volumes.Routes {
    static let list = Schema.object(
        "GoogleVolumes",
        ["kind": .choice(["books#volumes"]), "totalItems": .integer(0...Limits.volumes.depth), "items": .array(volume)])

    static let volume = Schema.object(
        "GoogleVolume",
        [
            "kind": .choice(["books#volume"]), "id": .id, "etag": .string, "selfLink": .string, "volumeInfo": info,
            "saleInfo": .object(
                "GoogleSaleInfo", ["country": .string, "saleability": .string, "isEbook": .boolean]),
            "accessInfo": .object(
                "GoogleAccessInfo",
                [
                    "country": .string, "viewability": .string, "embeddable": .boolean, "publicDomain": .boolean,
                    "textToSpeechPermission": .string, "epub": available, "pdf": available, "webReaderLink": .string,
                    "accessViewStatus": .string, "quoteSharingAllowed": .boolean,
                ]),
            "searchInfo": .object("GoogleSearchInfo", ["textSnippet": .string]),
        ])

    private static let available = Schema.object("GoogleAvailability", ["isAvailable": .boolean])

    private static let info = Schema.object(
        "GoogleVolumeInfo",
        [
            "title": .string, "subtitle": .string, "authors": .array(.string), "publisher": .string,
            "publishedDate": .string, "description": .string,
            "industryIdentifiers": .array(
                .object(
                    "GoogleIdentifier",
                    ["type": .choice(["ISBN_13", "ISBN_10", "OTHER"]), "identifier": .string]), count: 1...2),
            "readingModes": .object("GoogleReadingModes", ["text": .boolean, "image": .boolean]),
            "pageCount": .integer, "printedPageCount": .integer, "printType": .choice(["BOOK"]),
            "mainCategory": .string, "categories": .array(.string), "averageRating": .number(0...5),
            "ratingsCount": .integer, "maturityRating": .choice(["NOT_MATURE"]), "allowAnonLogging": .boolean,
            "contentVersion": .string,
            "panelizationSummary": .object(
                "GooglePanels", ["containsEpubBubbles": .boolean, "containsImageBubbles": .boolean]),
            "imageLinks": .object(
                "GoogleImageLinks",
                [
                    "smallThumbnail": .string, "thumbnail": .string, "small": .string, "medium": .string,
                    "large": .string, "extraLarge": .string,
                ]),
            "language": .string, "previewLink": .string, "infoLink": .string, "canonicalVolumeLink": .string,
        ])

    /// Faults as Google's clients expect them.
    static let google = Dialect(
        schema: .object(
            "GoogleFault",
            [
                "error": .object(
                    "GoogleError",
                    [
                        "code": .integer(400...599), "message": .string, "status": .string,
                        "errors": .array(
                            .object(
                                "GoogleErrorDetail", ["message": .string, "domain": .string, "reason": .string],
                                optional: ["location": .string, "locationType": .string])),
                    ])
            ]), reply: fault)

    /// `{"error": {code, message, status, errors: [{message, domain, reason, location, locationType}]}}`.
    @Sendable private static func fault(_ problem: Problem) throws -> Reply {
        let status = problem.status == .unprocessableContent ? .badRequest : problem.status
        let (name, reason) = names(status, problem)
        let message = problem.faults.first.map(\.detail) ?? problem.detail ?? problem.code.meaning.title
        var details: [JSONValue] = problem.faults.map { fault in
            .object([
                "message": .string(fault.detail), "domain": .string("global"), "reason": .string(reason),
                "location": .string(String(fault.pointer.drop { $0 == "?" || $0 == "/" })),
                "locationType": .string("parameter"),
            ])
        }
        if details.isEmpty {
            details = [
                .object(["message": .string(message), "domain": .string("global"), "reason": .string(reason)])
            ]
        }
        let error = JSONValue.object([
            "code": .number(String(status.code)), "message": .string(message), "status": .string(name),
            "errors": .array(details),
        ])
        var reply = try Reply.json(status, JSONValue.object(["error": error]))
        reply.headers.append(contentsOf: problem.headers)
        return reply
    }

    private static func names(_ status: HTTPResponse.Status, _ problem: Problem) -> (status: String, reason: String) {
        switch status.code {
        case 400:
            ("INVALID_ARGUMENT", problem.faults.first?.code == .required ? "queryRequired" : "invalidParameter")
        case 401: ("UNAUTHENTICATED", "authError")
        case 403: ("PERMISSION_DENIED", "forbidden")
        case 404: ("NOT_FOUND", "notFound")
        case 429: ("RESOURCE_EXHAUSTED", "rateLimitExceeded")
        case 503: ("UNAVAILABLE", "backendError")
        default: ("INTERNAL", "backendError")
        }
    }
}
