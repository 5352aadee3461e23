import Postgres
import TestSupport
import Testing

@Suite(.database(.empty)) struct ListenTests {
    private func next(_ iterator: inout Notifications.Iterator) async throws -> ListenEvent {
        try #require(await iterator.next())
    }

    @Test func `a listener hears what is sent to its channels, after a first call to look for itself`() async throws {
        try await withDatabase { database in
            try await database.listen(to: ["news", "odd \"name\""]) { notifications in
                var iterator = notifications.makeAsyncIterator()
                #expect(try await next(&iterator) == .reconnected)
                try await database.notify("other", "not for us")
                try await database.notify("news", "first")
                try await database.notify("odd \"name\"")
                let heard = [try await next(&iterator), try await next(&iterator)]
                let words = heard.map { event -> String in
                    guard case .notification(let notification) = event else { return "reconnected" }
                    return notification.channel + ": " + notification.payload
                }
                #expect(words == ["news: first", "odd \"name\": "])
            }
        }
    }

    @Test func `a lost listener is found again and told to look for itself`() async throws {
        try await withDatabase { database in
            try await withDatabase({ $0.applicationName = "listener" }) { listening in
                try await listening.listen(to: ["news"], probeEvery: .milliseconds(200)) { notifications in
                    var iterator = notifications.makeAsyncIterator()
                    #expect(try await next(&iterator) == .reconnected)
                    for round in 0..<5 {
                        try await eventually {
                            try await !database.all(Terminate(application: "listener")).isEmpty
                        }
                        #expect(try await next(&iterator) == .reconnected)
                        try await database.notify("news", "\(round)")
                        guard case .notification(let heard) = try await next(&iterator) else {
                            Issue.record("nothing heard after round \(round)")
                            return
                        }
                        #expect(heard.payload == "\(round)")
                    }
                }
            }
            try await eventually { try await database.one(Activity(application: "listener")).connections == 0 }
        }
    }

    @Test func `a reader that is too slow is told that it missed something`() async throws {
        try await withDatabase { database in
            try await database.listen(to: ["news"]) { notifications in
                var iterator = notifications.makeAsyncIterator()
                #expect(try await next(&iterator) == .reconnected)
                try await database.script("select pg_notify('news', n::text) from generate_series(1, 3000) n")
                try await database.notify("news", "last")
                var sawGap = false
                var heard = 0
                while true {
                    switch try await next(&iterator) {
                    case .reconnected: sawGap = true
                    case .notification(let notification):
                        heard += 1
                        if notification.payload == "last" {
                            #expect(sawGap || heard == 3001)
                            return
                        }
                    }
                }
            }
        }
    }
}
