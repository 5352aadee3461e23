import Community
import Postgres

extension Given {
    /// A copy of `book` in a library that `reader` contributes to; the reader's own where none is named.
    @discardableResult
    package func copy(
        of book: ID<Catalog.Work>, in library: ID<Lending.SharedLibrary>? = nil, by reader: Signed,
        label: String? = nil
    ) async throws -> Lending.Copy {
        try await world.community.lending.add(
            book, label: label, to: library ?? .own(of: reader.id), by: reader.identity)
    }

    /// A library of `owner` for several, with friends of the owner's as members.
    package func group(
        _ name: String = "Household", by owner: Signed, visibility: Visibility = .private,
        with members: [(Signed, Lending.Role)] = []
    ) async throws -> ID<Lending.SharedLibrary> {
        let store = world.community.lending
        let library = try await store.make(
            Lending.NewLibrary(name: name, visibility: visibility), by: owner.identity)
        for (member, role) in members { try await self.member(member, as: role, of: library.id, by: owner) }
        return library.id
    }

    /// A friend of the owner's who was invited into a library and joined it.
    package func member(
        _ member: Signed, as role: Lending.Role = .reader, of library: ID<Lending.SharedLibrary>, by owner: Signed
    ) async throws {
        _ = try await world.community.lending.invite(member.username, as: role, into: library, by: owner.identity)
        _ = try await world.community.lending.accept(library, by: member.id)
    }
}
