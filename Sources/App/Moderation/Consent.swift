import ArgumentParser
import FoundationEssentials
import Glibc
import PlainText

/// Whether somebody at a terminal agrees to what touches many things, or cannot be taken back.
struct Consent: ParsableArguments {
    @Flag(
        name: .shortAndLong,
        help:
            "Do not ask. The program asks before an act on more than 100 things, and before what nothing takes back, such as a warning."
    )
    var yes = false

    @Flag(help: "Never ask: without --yes, what would be asked is refused.")
    var noInput = false

    /// Returns where the person types `number`. Throws `CommandError`: bad input where nobody can be asked, cancelled where they type
    /// something else.
    func ask(_ question: String, type number: Int) throws {
        if yes { return }
        guard !noInput, isatty(STDIN_FILENO) == 1 else {
            throw CommandError(.invalid, "\(question) Nothing was done; say --yes to do it without being asked")
        }
        StandardError.write("\(question) Type \(number) to go on: ")
        guard readLine()?.trimmed() == String(number) else {
            throw CommandError(.cancelled, "nothing was done")
        }
    }
}
