// What is shown to whoever may not read all of it: a program whose access token joins groups and does not
// read them.

extension Groups.Group {
    /// The same without what is said about it.
    package var withoutWords: Groups.Group {
        Groups.Group(
            id: id, name: name, about: nil, html: nil, joining: joining, visibility: visibility, members: members,
            book: book, version: version, createdAt: createdAt, activeAt: activeAt, role: role, isInvited: isInvited,
            hasRequested: hasRequested)
    }
}
