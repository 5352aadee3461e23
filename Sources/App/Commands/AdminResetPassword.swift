import ArgumentParser
import Community

/// `commonplace admin reset-password NAME --reason TEXT`: for readers whom no mail reaches.
struct AdminResetPassword: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-password",
        abstract: "Make a code with which a reader sets a new password, within the hour. Hand it over yourself.")

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The account's username.")
    var name: String

    @OptionGroup var why: Why
    @OptionGroup var output: OutputOptions

    private struct Made: Encodable {
        let username, code: String
    }

    func run() async throws {
        try await Runtime.open(options, as: "commonplace admin") { runtime in
            let code = try await runtime.community.accounts.makeReset(of: name, by: Admin.actor, reason: why.reason)
            try output.print(Made(username: name, code: code.text), cells: [code.text])
            Admin.say("\(name) enters this code where a forgotten password is set anew. It works once.")
        }
    }
}
