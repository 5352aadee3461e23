import ArgumentParser

/// `commonplace completion SHELL`: a script by which a shell completes the commands of this program.
struct Completion: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what makes a shell complete these commands.",
        discussion: """
            Examples:
              source <(commonplace completion bash)
              commonplace completion zsh > ~/.zsh/completions/_commonplace
              commonplace completion fish > ~/.config/fish/completions/commonplace.fish
            """)

    enum Shell: String, ExpressibleByArgument, CaseIterable { case bash, zsh, fish }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() throws {
        let shells: [Shell: CompletionShell] = [.bash: .bash, .zsh: .zsh, .fish: .fish]
        print(App.completionScript(for: shells[shell] ?? .bash))
    }
}
