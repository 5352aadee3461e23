// What is shown to whoever may not read all of it: a program whose access token joins libraries and does not
// read them.

extension Lending.SharedLibrary {
    /// The same without what is said about it.
    package var withoutWords: Lending.SharedLibrary {
        Lending.SharedLibrary(
            id: id, kind: kind, reader: reader, name: name, description: nil, visibility: visibility,
            loanDays: loanDays, members: members, copies: copies, version: version, createdAt: createdAt,
            changedAt: changedAt, role: role, isInvited: isInvited)
    }
}
