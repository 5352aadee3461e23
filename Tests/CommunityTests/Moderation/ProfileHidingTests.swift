import Postgres
import TestSupport
import Testing

@testable import Community

/// What moderators take from a profile, and give back.
@Suite(.database)
struct ProfileHidingTests {
    private func act(
        _ verb: Moderation.Verb, on reader: ID<Accounts.Account>, in world: World
    ) async throws -> Moderation.Change? {
        try await world.database.transaction { transaction in
            let standing = try await transaction.one(Accounts.Statements.Lock(account: reader))
            let order = Moderation.Order(verb, by: .terminal("test"), reason: "it is spam")
            let change = try await Accounts.Account.performOnProfile(
                order, on: standing, of: world.services, in: transaction)
            // What it kept is given back.
            if let change, change.said != nil {
                try await world.community.moderation.record(order, on: .account(reader), change, in: transaction)
            }
            return change
        }
    }

    @Test
    func `a hidden name or bio is gone wherever it was told, and comes back while nothing else is there`() async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann", name: "Buy here")
            let profiles = world.community.profiles
            try await profiles.change(Profiles.Change(bio: .set("Watches!")), of: ann.id)
            try await world.clearOutbox()

            let name = try #require(try await act(.hideName, on: ann.id, in: world))
            let said = try JSON(encoding: ["name": "Buy here"])
            #expect(name.author == ann.id && name.said == said)
            #expect(name.before == ["name_hidden": "false"] && name.after == ["name_hidden": "true"])
            let bio = try #require(try await act(.hideBio, on: ann.id, in: world))
            let words = try JSON(encoding: ["bio": "Watches!"])
            #expect(bio.said == words)
            let own = try await profiles.own(ann.id).account
            #expect(own.name == nil && own.bio == nil)
            #expect(try await world.outbox().map(\.kind) == ["reader.changed", "reader.changed"])
            #expect(try await world.outbox().allSatisfy { !$0.data.contains("Buy here") })
            #expect(try await act(.hideName, on: ann.id, in: world) == nil)

            let back = try #require(try await act(.unhideName, on: ann.id, in: world))
            #expect(back.said == nil && back.after == ["name_hidden": "false"])
            #expect(try await act(.unhideName, on: ann.id, in: world) == nil)
            #expect(try await profiles.own(ann.id).account.name == "Buy here")
            try await profiles.change(Profiles.Change(bio: .set("I read.")), of: ann.id)
            #expect(try await act(.unhideBio, on: ann.id, in: world) == nil)
            #expect(try await profiles.own(ann.id).account.bio == "I read.")
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test(.enabled(if: Pictures.canBeConverted))
    func `a hidden picture is withheld at its address, kept for 180 days, and given back while there is no other`()
        async throws
    {
        try await withWorld(leaving: [.outbox]) { world in
            let (media, ann) = (world.community.media, try await world.given.account().id)
            let first = try await world.given.picture(red: true)
            let shown = try await media.show(first, alt: "Ann", of: ann).shown
            let hash = shown.variants[0].hash
            #expect(try await act(.hidePicture, on: ann, in: world) != nil)
            #expect(try await act(.hidePicture, on: ann, in: world) == nil)
            #expect(try await media.picture(of: ann) == nil)
            await #expect(throws: Failure.notFound("picture")) { try await media.file(hash) }
            #expect(try await world.everyDifference() == [])

            #expect(try await act(.unhidePicture, on: ann, in: world) != nil)
            #expect(try await media.picture(of: ann) == shown)
            #expect(try await media.file(hash).type == "image/jpeg")
            #expect(try await world.everyDifference() == [])

            #expect(try await act(.hidePicture, on: ann, in: world) != nil)
            _ = try await media.show(try await world.given.picture(red: false), alt: nil, of: ann)
            #expect(try await act(.unhidePicture, on: ann, in: world) == nil)
            await #expect(throws: Failure.notFound("picture")) { try await media.file(hash) }
            world.clock.advance(by: Limits.moderation.evidence - .seconds(60))
            #expect(try await media.sweep().pictures == 0)
            world.clock.advance(by: .seconds(120))
            #expect(try await media.sweep() == Media.Store.Swept(pictures: 1, unused: 4))
            #expect(try world.files().count == 4)
            #expect(try await world.everyDifference() == [])
        }
    }
}
