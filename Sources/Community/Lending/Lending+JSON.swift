import Postgres

// The form of libraries, copies, checkouts and loans in replies.

extension Lending.SharedLibrary: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, kind, reader, name, description, visibility, members, copies, role, version
        case loanDays = "loan_days"
        case isInvited = "is_invited"
        case createdAt = "created_at"
        case changedAt = "changed_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(kind, forKey: .kind)
        try container.encode(reader, forKey: .reader)
        try container.encode(name, forKey: .name)
        try container.encode(description, forKey: .description)
        // What others may see is nobody else's business.
        try container.encode(joined == .owner ? visibility : nil, forKey: .visibility)
        try container.encode(loanDays, forKey: .loanDays)
        try container.encode(members, forKey: .members)
        try container.encode(copies, forKey: .copies)
        try container.encode(role, forKey: .role)
        try container.encode(isInvited, forKey: .isInvited)
        try container.encode(version, forKey: .version)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(changedAt, forKey: .changedAt)
    }
}

extension Lending.Member: Encodable {
    private enum CodingKeys: String, CodingKey {
        case reader, role
        case invitedAt = "invited_at"
        case joinedAt = "joined_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(reader, forKey: .reader)
        try container.encode(role, forKey: .role)
        try container.encode(invitedAt, forKey: .invitedAt)
        try container.encode(joinedAt, forKey: .joinedAt)
    }
}

extension Lending.Copy: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, book, label, out
        case library = "library_id"
        case edition = "edition_id"
        case addedBy = "added_by"
        case addedAt = "added_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(library, forKey: .library)
        try container.encode(book, forKey: .book)
        try container.encode(edition, forKey: .edition)
        try container.encode(label, forKey: .label)
        try container.encode(addedBy, forKey: .addedBy)
        try container.encode(addedAt, forKey: .addedAt)
        try container.encode(out, forKey: .out)
    }
}

extension Lending.Copy.Out: Encodable {
    private enum CodingKeys: String, CodingKey {
        case since, reader
        case dueAt = "due_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(since, forKey: .since)
        try container.encode(dueAt, forKey: .dueAt)
        try container.encode(reader, forKey: .reader)
    }
}

extension Lending.Checkout: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, book, library, copy, reader, renewals
        case outAt = "out_at"
        case dueAt = "due_at"
        case returnedAt = "returned_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(book, forKey: .book)
        try container.encode(library, forKey: .library)
        try container.encode(copy, forKey: .copy)
        try container.encode(reader, forKey: .reader)
        try container.encode(outAt, forKey: .outAt)
        try container.encode(dueAt, forKey: .dueAt)
        try container.encode(returnedAt, forKey: .returnedAt)
        try container.encode(renewals, forKey: .renewals)
    }
}

extension Lending.Checkout.Item: Encodable {
    private enum CodingKeys: String, CodingKey { case id, label }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(label, forKey: .label)
    }
}

extension Lending.Loan: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, direction, state, book, label, reader, due
        case copy = "copy_id"
        case checkout = "checkout_id"
        case askedAt = "asked_at"
        case changedAt = "changed_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(direction, forKey: .direction)
        try container.encode(state, forKey: .state)
        try container.encode(book, forKey: .book)
        try container.encode(copy, forKey: .copy)
        try container.encode(label, forKey: .label)
        try container.encode(reader, forKey: .reader)
        try container.encode(due?.text, forKey: .due)
        try container.encode(checkout, forKey: .checkout)
        try container.encode(askedAt, forKey: .askedAt)
        try container.encode(changedAt, forKey: .changedAt)
    }
}
