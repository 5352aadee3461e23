import Postgres
import TestSupport
import Testing

@Suite(.database(.empty)) struct ListenTests {
    private func next(_ iterator: inout ListenEvents.Iterator) async throws -> ListenEvent {
        try #require(await iterator.next())
    }

    /// Sends a word, and whether it is the next thing heard.
    private func hears(
        _ word: String, from database: Database, _ iterator: inout ListenEvents.Iterator
    ) async throws -> Bool {
        try await database.notify("news", word)
        guard case .notification(let heard) = try await next(&iterator) else { return false }
        return heard.payload == word
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
                        let isHeard = try await hears("\(round)", from: database, &iterator)
                        #expect(isHeard)
                    }
                }
            }
            try await eventually { try await database.one(Activity(application: "listener")).connections == 0 }
        }
    }

    @Test func `a connection that has gone silent is found, given up and replaced`() async throws {
        let lane = try Lane.required()
        let proxy = try TCPProxy(to: lane.cluster.socketFolder + "/.s.PGSQL.5432")
        defer { proxy.stop() }
        let user = lane.cluster.superuser
        try await withDatabase { database in
            try await withDatabase({
                $0 = lane.settings(conninfo: "host=127.0.0.1 port=\(proxy.port) user=\(user) dbname=\(lane.name)")
            }) { listening in
                try await listening.listen(to: ["news"], probeEvery: .milliseconds(300)) { notifications in
                    var iterator = notifications.makeAsyncIterator()
                    #expect(try await next(&iterator) == .reconnected)
                    for round in 1...3 {
                        proxy.swallow()
                        // Lost: the server sends it, and nobody hears.
                        try await database.notify("news", "into the void")
                        #expect(try await next(&iterator) == .reconnected)
                        let isHeard = try await hears("\(round)", from: database, &iterator)
                        #expect(isHeard)
                        try await eventually { proxy.abandoned >= round }
                    }
                }
            }
        }
        #expect(proxy.connections >= 4)
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
