import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database, .enabled(if: Pictures.canBeConverted))
struct CoverProposalTests {
    private func helper(_ account: Signed, _ world: World) throws -> Catalog.Helper {
        try Catalog.Helper(account.identity, in: world.services)
    }

    @Test func `another proposal takes the place of the first, and what is declined is gone`() async throws {
        try await withWorld(leaving: [.outbox]) { world in
            let media = world.community.media
            let edition = try await world.given.edition(of: try await world.given.book("Emma"))
            let member = try await world.given.account()
            let ann = try helper(member, world)
            let librarian = try helper(try await world.given.account(role: .librarian), world)
            let (red, blue) = (
                try await world.given.picture(red: true, as: .cover),
                try await world.given.picture(red: false, as: .cover)
            )
            let first = try await media.proposeCover(red, alt: nil, reason: "", of: edition, by: ann)
            let second = try await media.proposeCover(blue, alt: "Blue", reason: "", of: edition, by: ann)
            try await world.drainMedia()
            #expect(
                try await media.proposedCovers(of: [first, second]).mapValues(\.variants) == [second: blue.variants])
            #expect(
                try await world.community.catalog.openProposals(PageRequest(), by: librarian).items.map(\.id) == [
                    second
                ])

            // The daily sweep takes what nobody shows, and leaves what waits.
            world.clock.advance(by: .seconds(7200))
            #expect(try await media.sweep().pictures == 0)
            try await world.community.catalog.decline(second, by: librarian)
            try await world.drainMedia()
            #expect(try await media.proposedCovers(of: [first, second]).isEmpty)
            #expect(try world.files().isEmpty)
            #expect(try await media.cover(of: edition).hash == nil)
        }
    }

    @Test func `an accepted cover replaces the one that is there, and outlives its proposer`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let media = world.community.media
            let edition = try await world.given.edition(of: try await world.given.book("Emma"))
            let member = try await world.given.account()
            let keeper = try await world.given.account(role: .librarian)
            let red = try await world.given.picture(red: true, as: .cover)
            let blue = try await world.given.picture(red: false, as: .cover)
            _ = try await media.setCover(red, alt: nil, of: edition, by: keeper.identity)
            let proposal = try await media.proposeCover(
                blue, alt: nil, reason: "", of: edition, by: try helper(member, world))
            _ = try await world.community.catalog.accept(proposal, by: try helper(keeper, world))
            try await world.community.accounts.close(member.id)
            try await world.drainMedia()
            #expect(try await media.cover(of: edition).hash == blue.variants.last?.hash)
            #expect(try world.files().count == Set(blue.variants.map(\.hash)).count)
            #expect(try await world.pictureDifferences().isEmpty)
        }
    }

    @Test func `what was proposed and not decided goes with who proposed it, at once`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let media = world.community.media
            let edition = try await world.given.edition(of: try await world.given.book("Emma"))
            let (member, other) = (try await world.given.account(), try await world.given.account())
            let red = try await world.given.picture(red: true, as: .cover)
            let blue = try await world.given.picture(red: false, as: .cover)
            _ = try await media.proposeCover(
                red, alt: "Words of mine", reason: "", of: edition, by: try helper(member, world))
            let kept = try await media.proposeCover(
                blue, alt: "Blue", reason: "", of: edition, by: try helper(other, world))
            try await world.community.accounts.close(member.id)
            try await world.drainMedia()
            #expect(try await world.asSuperuser("select alt from picture") == [["Blue"]])
            #expect(try await media.proposedCovers(of: [kept]).mapValues(\.variants) == [kept: blue.variants])
            #expect(try world.files().count == Set(blue.variants.map(\.hash)).count)
            #expect(try await world.pictureDifferences().isEmpty)
        }
    }

    @Test func `who left, or wrote too many, proposes none, and leaves nothing`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let media = world.community.media
            let edition = try await world.given.edition(of: try await world.given.book("Emma"))
            let member = try await world.given.account()
            let ann = try helper(member, world)
            let picture = try await world.given.picture(red: true, as: .cover)
            await #expect(throws: Failure.self) {
                _ = try await media.proposeCover(picture, alt: " ", reason: "", of: edition, by: ann)
            }
            await #expect(throws: Failure.self) {
                _ = try await media.proposeCover(
                    picture, alt: nil, reason: String(repeating: "a", count: 2001), of: edition, by: ann)
            }
            await #expect(throws: Failure.notFound("edition 5")) {
                _ = try await media.proposeCover(picture, alt: nil, reason: "", of: ID(rawValue: 5), by: ann)
            }
            try await world.asSuperuser(
                """
                insert into catalog_proposal (id, at, account_id, subject_kind, subject_id, before, changes, reason)
                select n, now(), \(member.id), 'edition', \(edition), '{}', '{}', '' from generate_series(1, 100) n
                """)
            await #expect(throws: Failure.self) {
                _ = try await media.proposeCover(picture, alt: nil, reason: "", of: edition, by: ann)
            }
            try await world.community.accounts.close(member.id)
            let refusal = Failure.forbidden(
                code: .accountFrozen, "this account is frozen: it reads and does not write")
            await #expect(throws: refusal) {
                _ = try await media.proposeCover(picture, alt: nil, reason: "", of: edition, by: ann)
            }
            #expect(try await world.asSuperuser("select count(*) from picture") == [["0"]])
        }
    }
}
