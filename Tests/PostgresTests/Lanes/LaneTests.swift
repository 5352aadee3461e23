import Postgres
import Testing

@testable import TestSupport

@Suite(.database) struct LaneTests {
    @Test(arguments: 1...12) func `a test finds what the migrations left and nothing of the tests before it`(
        _ round: Int
    ) async throws {
        try await withWorld { world in
            #expect(try await world.asSuperuser("select count(*) from node_lease") == [["0"]])
            #expect(try await world.asSuperuser("select count(*) from server where epoch > 0") == [["1"]])
            try await world.asSuperuser("insert into node_lease values (\(round), 'a test', now() - interval '1 hour')")
            try await world.asSuperuser("delete from server")
        }
    }

    @Test func `the program's role has no DDL and cannot write the record of migrations`() async throws {
        try await withWorld { world in
            for sql in ["create table public.mine (id int)", "drop table server", "delete from schema_migration"] {
                let error = await #expect(throws: PostgresError.self) { try await world.database.script(sql) }
                #expect(error?.sqlState == .insufficientPrivilege, "\(sql)")
            }
        }
    }

    @Test(.database(.fresh)) func `a fresh database has the schema and takes DDL`() async throws {
        try await withWorld { world in
            try await world.asSuperuser("create table mine (id int)")
            #expect(world.lane.kind == .fresh)
        }
    }

    @Test(.database(.empty)) func `an empty database has no table`() async throws {
        try await withWorld { world in
            let found = try await world.asSuperuser("select to_regclass('server') is null")
            #expect(found == [["t"]])
        }
    }

    @Test func `a lease that is left is found, unless the test says that it leaves it`() async throws {
        try await withWorld(leaving: .leases) { world in
            try await world.asSuperuser("insert into node_lease values (7, 'a test', now() + interval '1 hour')")
            #expect(try await Leftovers.nothing.found(in: world) == ["1 row(s) in node_lease"])
            #expect(try await Leftovers.leases.found(in: world) == [])
        }
    }
}

@Suite struct TestClusterTests {
    @Test(arguments: [
        "host=db.example.org user=postgres dbname=postgres", "host=127.0.0.1 user=postgres dbname=postgres",
        "host=/tmp,db.example.org user=postgres dbname=postgres",
        "host=/tmp hostaddr=10.0.0.1 user=postgres dbname=postgres",
        "postgresql://localhost/postgres", "user=postgres dbname=postgres", "host=/tmp dbname=postgres", "",
    ])
    func `anything but a local socket is refused`(_ conninfo: String) {
        #expect(throws: TestCluster.Unavailable.self) { try TestCluster(conninfo: conninfo) }
    }

    @Test func `a missing cluster is explained`() {
        let error = #expect(throws: TestCluster.Unavailable.self) { try TestCluster(conninfo: nil) }
        #expect(error?.description.contains("deploy/test-cluster run -- swift test") == true)
    }
}

@Suite struct TestRandomTests {
    @Test func `the same seed and name give the same stream, others give others`() {
        let first = TestRandom(seed: 7, name: "a").bytes(32)
        #expect(first == TestRandom(seed: 7, name: "a").bytes(32))
        #expect(first != TestRandom(seed: 8, name: "a").bytes(32))
        #expect(first != TestRandom(seed: 7, name: "b").bytes(32))
    }
}
