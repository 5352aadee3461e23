// The form of groups in replies.

extension Groups.Group: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, name, about, html, joining, visibility, members, book, version, role
        case createdAt = "created_at"
        case activeAt = "active_at"
        case isInvited = "is_invited"
        case hasRequested = "has_requested"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(about, forKey: .about)
        try container.encode(html, forKey: .html)
        try container.encode(joining, forKey: .joining)
        try container.encode(visibility, forKey: .visibility)
        try container.encode(members, forKey: .members)
        try container.encode(book, forKey: .book)
        try container.encode(role, forKey: .role)
        try container.encode(isInvited, forKey: .isInvited)
        try container.encode(hasRequested, forKey: .hasRequested)
        try container.encode(version, forKey: .version)
        try container.encode(createdAt, forKey: .createdAt)
        try container.encode(activeAt, forKey: .activeAt)
    }
}

extension Groups.Member: Encodable {
    private enum CodingKeys: String, CodingKey {
        case reader, role
        case joinedAt = "joined_at"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(reader, forKey: .reader)
        try container.encode(role, forKey: .role)
        try container.encode(joinedAt, forKey: .joinedAt)
    }
}

extension Groups.Application: Encodable {
    private enum CodingKeys: String, CodingKey { case reader, at }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(reader, forKey: .reader)
        try container.encode(at, forKey: .at)
    }
}

extension Groups.Invitation: Encodable {
    private enum CodingKeys: String, CodingKey { case group, inviter, at }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(group, forKey: .group)
        try container.encode(inviter, forKey: .inviter)
        try container.encode(at, forKey: .at)
    }
}
