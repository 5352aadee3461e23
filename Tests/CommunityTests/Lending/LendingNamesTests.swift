import TestSupport
import Testing

@testable import Community

/// Names of readers beside books.
@Suite(.database)
struct LendingNamesTests {
    @Test func `a reader beside a book is named to those who may see the name, and by username to the others`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let ann = try await world.given.account("ann", name: "Ann Smith")
            let ben = try await world.given.account("ben", name: "Ben Jones")
            let cleo = try await world.given.account("cleo", name: "Cleo Brown")
            let community = world.community
            let store = community.lending
            // Ben and Cleo know Ann, and not each other.
            for other in [ben, cleo] {
                try await world.given.friendship(ann, other)
                try await world.given.member(other, as: .contributor, of: .own(of: ann.id), by: ann)
            }
            let book = try await world.given.book()
            let copy = try await world.given.copy(of: book, in: .own(of: ann.id), by: cleo)
            _ = try await store.checkOut(book, from: .own(of: ann.id), by: cleo.id)
            let loan = try await store.ask(for: copy.id, by: ben.identity)
            let link = try await store.share(.own(of: ann.id), by: ann.identity)

            /// Every place that names Ann or Cleo to Ben, and Ann to somebody with the link.
            func names() async throws -> (ann: [String?], cleo: [String?], linked: [String?]) {
                let place = ID<Lending.SharedLibrary>.own(of: ann.id)
                let mine = try await store.libraries(of: ben.id, page: PageRequest()).items
                let members = try await store.members(of: place, for: ben.viewer, page: PageRequest()).items
                let copies = try await store.copies(of: place, for: ben.viewer, page: PageRequest()).items
                let out = try await store.checkouts(of: place, for: ben.viewer, page: PageRequest()).items
                let linked = try #require(try await store.linked(link.text, for: .anonymous))
                #expect(members.map(\.reader.username) == ["ann", "ben", "cleo"])
                #expect(members[1].reader.name == "Ben Jones")
                return (
                    [
                        try await store.library(place, for: ben.viewer).reader?.name,
                        mine.first { $0.id == place }?.reader?.name, members[0].reader.name,
                        try await store.loan(loan.id, of: ben.id).reader?.name,
                    ],
                    [
                        members[2].reader.name, copies[0].addedBy?.name, copies[0].out?.reader?.name,
                        try await store.copy(copy.id, for: ben.viewer).addedBy?.name, out[0].reader?.name,
                    ], [linked.reader.name, linked.library.reader?.name]
                )
            }
            for level in Visibility.allCases {
                for reader in [ann, ben, cleo] {
                    try await community.profiles.change([.name: level], for: reader.id)
                }
                let told = try await names()
                let annAsSeen: String? = level >= .friends ? "Ann Smith" : nil
                #expect(told.ann == Array(repeating: annAsSeen, count: 4), "\(level)")
                let cleoAsSeen: String? = level >= .members ? "Cleo Brown" : nil
                #expect(told.cleo == Array(repeating: cleoAsSeen, count: 5), "\(level)")
                #expect(told.linked == Array(repeating: level == .public ? "Ann Smith" : nil, count: 2), "\(level)")
                #expect(
                    try await store.borrowed(by: cleo.id, page: PageRequest()).items[0].reader?.name == "Cleo Brown")
            }
        }
    }
}
