import TestSupport
import Testing

@testable import Community

struct AccountsRulesTests {
    private func codes(_ change: (inout Accounts.Registration) -> Void) -> [String] {
        var registration = Accounts.Registration(
            username: "ann", email: "ann@example.org", emailConfirmation: "ann@example.org", password: "correct horse",
            passwordConfirmation: "correct horse")
        change(&registration)
        return registration.faults().map { "\($0.pointer) \($0.code)" }
    }

    @Test func `a sign-up without a fault has none`() {
        #expect(codes { _ in } == [])
        #expect(codes { $0.name = "Ann Ø. Lee 📚" } == [])
        #expect(codes { $0.username = "Ann_99" } == [])
        for username in ["mall", "modern", "admiral", "a_reader", "hosta"] {
            #expect(codes { $0.username = username } == [])
        }
    }

    @Test(
        arguments: [
            ("", "too_short"), ("an", "too_short"), (String(repeating: "a", count: 31), "too_long"),
            ("an n", "bad_format"),
            ("ann!", "bad_format"), ("änn", "bad_format"), ("аnn", "bad_format"), ("ann\u{0}", "bad_format"),
            ("Admin", "reserved"),
            ("ROOT", "reserved"), ("adm1n", "reserved"), ("adrnin", "reserved"), ("r00t", "reserved"),
            ("_admin_", "reserved"), ("C0mm0nplace", "reserved"), ("Iibrarian", "reserved"),
        ]) func `a username outside the rules is refused`(username: String, code: String)
    {
        #expect(codes { $0.username = username }.contains("/username \(code)"))
    }

    @Test(
        arguments: [
            "a@b", "ann.lee+books@mail.example.org", "x_y@xn--bcher-kva.example", "o'hara@example.org",
        ]) func `an ordinary address is taken`(address: String)
    {
        #expect(
            codes {
                $0.email = address
                $0.emailConfirmation = address
            } == [])
    }

    @Test(
        arguments: [
            "", "a@", "ann", "ann@", "@example.org", "ann@@example.org", "a b@example.org", "ann@exa mple.org",
            "ann@-a.org", "ann@a-.org",
            ".ann@example.org", "ann.@example.org", "a..b@example.org", "ann@example..org",
            "ann@example.org\r\nBcc: x@y.z", "änn@example.org",
            "\"ann\"@example.org", "ann@[127.0.0.1]", "<ann@example.org>",
            String(repeating: "a", count: 65) + "@example.org",
            "ann@" + String(repeating: "a.", count: 130) + "org",
        ]) func `what is no address is refused`(address: String)
    {
        #expect(codes { $0.email = address }.contains { $0.hasPrefix("/email ") })
    }

    @Test func `confirmations must match, the address in any case, the password exactly`() {
        #expect(codes { $0.emailConfirmation = "ANN@Example.org" } == [])
        #expect(codes { $0.emailConfirmation = "bob@example.org" } == ["/email_confirmation mismatch"])
        #expect(codes { $0.passwordConfirmation = "Correct horse" } == ["/password_confirmation mismatch"])
        // The same text for a reader, other bytes: é as one scalar and as two.
        #expect(
            codes {
                $0.password = "caf\u{E9} horses"
                $0.passwordConfirmation = "cafe\u{301} horses"
            } == ["/password_confirmation mismatch"])
    }

    @Test(
        arguments: [
            ("", "too_short"), ("sevenby", "too_short"), (String(repeating: "xy1", count: 86), "too_long"),
            ("password", "too_common"),
            ("PassWord123", "too_common"), ("aaaaaaaaaaaa", "too_common"), ("abababababab", "too_common"),
            ("ann@example.org", "too_common"),
            ("with a \u{0} inside", "bad_character"),
        ]) func `a password that protects nothing is refused`(password: String, code: String)
    {
        #expect(
            codes {
                $0.password = password
                $0.passwordConfirmation = password
            } == ["/password \(code)"])
    }

    @Test(arguments: [
        ("", "too_short"), (String(repeating: "a", count: 51), "too_long"), ("\u{3000}\u{3000}", "bad_format"),
        ("a\u{0}b", "bad_character"),
        ("a\nb", "bad_character"), ("a\u{202E}b", "bad_character"), ("a\u{2066}b", "bad_character"),
    ]) func `a name outside the rules is refused`(name: String, code: String) {
        #expect(codes { $0.name = name } == ["/name \(code)"])
    }

    @Test func `a name has at most fifty characters as the database counts them`() {
        // Five scalars each, and one character to the eye.
        let family = "👨‍👩‍👧"
        #expect(codes { $0.name = String(repeating: family, count: 10) } == [])
        #expect(codes { $0.name = String(repeating: family, count: 11) } == ["/name too_long"])
    }

    @Test func `all faults are named at once`() {
        let registration = Accounts.Registration(
            username: "x", email: "nobody", emailConfirmation: "somebody", password: "short",
            passwordConfirmation: "shorter",
            name: "")
        #expect(
            registration.faults().map(\.pointer) == [
                "/username", "/email", "/email_confirmation", "/password", "/password_confirmation", "/name",
            ])
    }

    @Test func `roles are ordered from member to owner`() {
        #expect(Accounts.Role.allCases.sorted() == [.member, .librarian, .moderator, .admin, .owner])
    }

    @Test func `a session remembers a network and never an address`() {
        #expect(Accounts.Origin(address: "203.0.113.9").network == "203.0.113.0/24")
        #expect(Accounts.Origin(address: "2001:db8:0:1::/64").network == "2001:db8:0:1::/64")
        #expect(Accounts.Origin(address: "local").network == nil)
        #expect(Accounts.Origin(address: "local", device: "Firefox\u{1B}[2J\n 140").deviceName == "Firefox[2J 140")
        #expect(
            Accounts.Origin(address: "local", device: String(repeating: "x", count: 900)).deviceName?.count == 200)
    }

    @Test func `a token has its prefix, 256 bits, and one form`() throws {
        let token = Token.make(.session, from: SystemRandom())
        #expect(token.text.hasPrefix("cpl_"))
        #expect(token.text.utf8.count == 47)
        #expect(Token(.session, text: token.text) == token)
        #expect(Token(.verification, text: token.text) == nil)
        for wrong in [
            "", "cpl_", token.text + "A", String(token.text.dropLast()), token.text.dropLast() + "=",
            "cpl_é" + token.text.dropFirst(6),
        ] {
            #expect(Token(.session, text: String(wrong)) == nil)
        }
        #expect(token.digest.count == 32)
    }
}
