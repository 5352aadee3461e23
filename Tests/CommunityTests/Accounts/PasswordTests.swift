import TestSupport
import Testing

@testable import Community

struct PasswordTests {
    @Test func `a password is stored as argon2id with its costs and its own salt`() async throws {
        let pool = PasswordPool(cost: PasswordHash.Cost(passes: 2, kibibytes: 64, lanes: 1))
        let first = try await pool.hash("correct horse", salt: SystemRandom().bytes(16))
        let second = try await pool.hash("correct horse", salt: SystemRandom().bytes(16))
        #expect(first.text.hasPrefix("$argon2id$v=19$m=64,t=2,p=1$"))
        #expect(first != second)
        #expect(try await pool.isRight("correct horse", for: first))
        #expect(try await !pool.isRight("Correct horse", for: first))
        #expect(try await !pool.isRight("", for: first))
    }

    @Test func `production costs two passes over 64 MiB`() {
        #expect(PasswordHash.Cost.standard == PasswordHash.Cost(passes: 2, kibibytes: 65_536, lanes: 1))
    }

    @Test func `no password fits where there is no account`() async throws {
        let pool = PasswordPool(cost: .testing)
        #expect(try await !pool.isRight("", for: nil))
        #expect(try await !pool.isRight("correct horse", for: nil))
    }

    @Test func `a hash of other costs is outdated, and still compared`() async throws {
        let old = try await PasswordPool(cost: PasswordHash.Cost(passes: 1, kibibytes: 16, lanes: 1))
            .hash("correct horse", salt: [UInt8](repeating: 7, count: 16))
        let pool = PasswordPool(cost: .testing)
        #expect(pool.isOutdated(old))
        #expect(try await pool.isRight("correct horse", for: old))
        #expect(try await !pool.isOutdated(pool.hash("correct horse", salt: [UInt8](repeating: 7, count: 16))))
    }

    @Test func `a string that is no hash is an error and not a wrong password`() async throws {
        let pool = PasswordPool(cost: .testing)
        await #expect(throws: PasswordHash.Refused.self) {
            try await pool.isRight("correct horse", for: PasswordHash(stored: "plain"))
        }
    }

    @Test func `beyond its places the pool refuses at once, and takes callers again afterwards`() async throws {
        let pool = PasswordPool(cost: PasswordHash.Cost(passes: 2, kibibytes: 4096, lanes: 1), threads: 2, queue: 4)
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    do {
                        _ = try await pool.hash("correct horse", salt: [UInt8](repeating: 1, count: 16))
                        return true
                    } catch Failure.busy {
                        return false
                    } catch {
                        Issue.record(error)
                        return false
                    }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes.count(where: \.self) >= 6)
        #expect(outcomes.contains(false))
        _ = try await pool.hash("correct horse", salt: [UInt8](repeating: 1, count: 16))
    }
}
