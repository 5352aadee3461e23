import Foundation
import Testing

@testable import Client

/// `commonplace admin`, from outside.
@Suite struct AdminTests {
    private let password = "a long enough password"

    @Test func `an owner is made with a password from standard input`() async throws {
        try await withProgram { program in
            func create(_ input: String) async throws -> Program.Finished {
                try await program.run(
                    "admin", "create-owner", "ann", "--email", "ann@example.org", "--password-stdin", input: input)
            }
            let bare = try await program.run(
                "admin", "create-owner", "ann", "--email", "ann@example.org", input: password)
            #expect(bare.status == 7)
            #expect(try await create("").status == 7)
            let weak = try await create("password1\n")
            #expect(weak.status == 7)
            #expect(weak.errors.contains("commonplace: The password is one of the first"))
            #expect(!weak.errors.contains("/password"))
            let made = try await create(password + "\r\n")
            #expect(made.status == 0, "\(made.errors)")
            let again = try await create(password + "\n")
            #expect(again.status == 7)
            #expect(again.errors.contains("The username is taken: choose another."), "\(again.errors)")

            let server = try await program.serve()
            let owner = try await program.client().logIn("ann", password: password)
            #expect(owner.account.username == "ann")
            await server.kill()
        }
    }

    @Test func `an act takes effect on the running server and tells its outcome by the exit code`() async throws {
        try await withProgram { program in
            let server = try await program.serve()
            let eve = try await program.client().register(username: "eve", email: "eve@example.org", password: password)
            func admin(_ verb: String, _ name: String, _ reason: String = "because") async throws -> Int32 {
                try await program.run("admin", verb, name, "--reason", reason).status
            }

            #expect(try await program.run("admin", "suspend", "eve").status == 64)
            #expect(try await admin("suspend", "nobody") == 3)
            #expect(try await admin("suspend", "eve", "") == 7)
            #expect(try await admin("suspend", "eve") == 0)
            await #expect(throws: (any Error).self) { try await eve.client.me() }
            #expect(try await admin("suspend", "eve") == 5)
            #expect(try await admin("unsuspend", "EVE") == 0)
            _ = try await program.client().logIn("eve", password: password)

            #expect(try await program.run("admin", "role", "eve", "queen", "--reason", "because").status == 64)
            #expect(try await program.run("admin", "role", "eve", "librarian", "--reason", "knows books").status == 0)
            let invitation = try await program.run("admin", "invite", "--uses", "2")
            #expect(invitation.status == 0)
            #expect(invitation.output.hasPrefix("cpi_"))
            #expect(try await program.run("admin", "invite", "--uses", "0").status == 7)
            let told = try await program.run("admin", "invite", "--uses", "2", "--json").output
            #expect(told.contains(#""code" : "cpi_"#) && told.contains(#""uses" : 2"#), "\(told)")

            let waiting = try await program.run("admin", "waiting", "--json")
            #expect(waiting.status == 0 && waiting.errors.contains("Nobody waits for approval."))
            #expect(try JSONDecoder().decode([JSONValue].self, from: Data(waiting.output.utf8)).isEmpty)
            let librarians = try await program.run("admin", "list", "--role", "librarian")
            #expect(librarians.status == 0 && librarians.output.hasPrefix("eve\t"), "\(librarians)")
            let owners = try await program.run("admin", "list", "--role", "owner")
            #expect(owners.status == 0 && owners.output.isEmpty && owners.errors.contains("No reader is like that."))
            let shown = try await program.run("admin", "show", "eve")
            #expect(shown.status == 0 && shown.output.contains("role\tlibrarian\n"), "\(shown)")
            await server.kill()
        }
    }
}
