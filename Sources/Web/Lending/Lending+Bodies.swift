import Community

extension Lending.Routes {
    static let level = Library.Routes.level
    static let role = Schema.choice(Lending.Role.allCases.map(\.rawValue))

    static let library = Schema.object(
        "SharedLibrary",
        [
            "id": .id, "kind": .choice(Lending.Kind.allCases.map(\.rawValue)),
            "reader": .orNull(Accounts.Routes.reader), "name": .string(Limits.lending.name),
            "description": .orNull(.string(Limits.lending.description)), "visibility": .orNull(level),
            "loan_days": .orNull(.integer(Limits.lending.loanDays)), "member_count": .orNull(.integer),
            "copy_count": .integer, "role": .orNull(role), "is_invited": .boolean,
            "version": .integer(1...Int(Int32.max)),
            "created_at": .time, "changed_at": .time,
        ])

    static let newLibrary = Schema.object(
        "NewSharedLibrary", ["name": .string(Limits.lending.name)],
        optional: [
            "description": .orNull(.string(Limits.lending.description)), "visibility": .orNull(level),
            "loan_days": .orNull(.integer(Limits.lending.loanDays)),
        ])

    static let libraryChange = Schema.object(
        "SharedLibraryChange", [:],
        optional: [
            "name": .orNull(.string(Limits.lending.name)),
            "description": .orNull(.string(Limits.lending.description)), "visibility": .orNull(level),
            "loan_days": .orNull(.integer(Limits.lending.loanDays)),
        ])

    static let member = Schema.object(
        "LibraryMember",
        ["reader": Accounts.Routes.reader, "role": role, "invited_at": .time, "joined_at": .orNull(.time)])

    static let newMember = Schema.object(
        "NewLibraryMember", ["username": .string(1...100)], optional: ["role": .orNull(role)])

    static let newRole = Schema.object("NewLibraryRole", ["role": role])

    static let copy = Schema.object(
        "LibraryCopy",
        [
            "id": .id, "library_id": .id, "book": Reviews.Routes.book, "edition_id": .orNull(.id),
            "label": .orNull(.string(Limits.lending.label)), "added_by": .orNull(Accounts.Routes.reader),
            "added_at": .time,
            "out": .orNull(
                .object(
                    "CopyOut",
                    ["out_at": .time, "due_at": .orNull(.time), "reader": .orNull(Accounts.Routes.reader)])),
        ])

    static let newCopy = Schema.object(
        "NewLibraryCopy", ["book_id": .id],
        optional: ["edition_id": .orNull(.id), "label": .orNull(.string(Limits.lending.label))])

    static let copyChange = Schema.object(
        "LibraryCopyChange", [:],
        optional: ["edition_id": .orNull(.id), "label": .orNull(.string(Limits.lending.label))])

    static let checkout = Schema.object(
        "Checkout",
        [
            "id": .id, "book": Reviews.Routes.book,
            "library": .orNull(.object("CheckoutLibrary", ["id": .id, "name": .string])),
            "copy": .orNull(
                .object("CheckoutCopy", ["id": .id, "label": .orNull(.string(Limits.lending.label))])),
            "reader": .orNull(Accounts.Routes.reader), "out_at": .time, "due_at": .orNull(.time),
            "returned_at": .orNull(.time), "renewal_count": .integer(0...Limits.lending.renewals),
        ])

    static let place = Schema.object("CheckoutPlace", [:], optional: ["library_id": .orNull(.id)])

    static let loan = Schema.object(
        "Loan",
        [
            "id": .id, "is_lent": .boolean,
            "state": .choice(Lending.Loan.State.allCases.map(\.name)), "book": Reviews.Routes.book,
            "copy_id": .orNull(.id), "label": .orNull(.string(Limits.lending.label)),
            "reader": .orNull(Accounts.Routes.reader), "due": .orNull(.date), "checkout_id": .orNull(.id),
            "asked_at": .time, "changed_at": .time,
        ])

    static let newDue = Schema.object("LoanUntil", [:], optional: ["due": .orNull(.date)])
}
