import FoundationEssentials
import Postgres

extension Photos.Recognizer {
    /// The programs that reading needs, and the languages that tesseract has here.
    package struct Tools: Sendable {
        /// From libvips-tools.
        let vips: String
        /// From util-linux.
        let prlimit: String
        /// From tesseract-ocr.
        let tesseract: String
        /// By tesseract's names. Empty where it has none.
        package let languages: Set<String>

        /// `nil` where one of them is not installed: then no words are read. Asks tesseract for its languages, on the
        /// calling thread.
        package static func find(
            in folders: [String] = ["/usr/local/bin", "/usr/bin", "/bin"], with tools: Media.Tools? = .find()
        ) -> Tools? {
            let place = folders.map { $0 + "/tesseract" }.first(where: FileManager.default.isExecutableFile(atPath:))
            guard let tools, let place else { return nil }
            return Tools(
                vips: tools.vips, prlimit: tools.prlimit, tesseract: place, languages: languages(of: place))
        }

        private static func languages(of tesseract: String) -> Set<String> {
            let program = Program(
                tesseract, ["--list-langs"], environment: [:], folder: "/", timeLimit: .seconds(10))
            guard let outcome = try? program.run(), outcome.status == 0 else { return [] }
            // A line that says where they are, then one for each.
            let names = outcome.output.split(separator: "\n").dropFirst().map(String.init)
            return Set(names.filter(isName)).subtracting(["osd", "equ", "snum"])
        }

        /// Whether `name` can be one of tesseract's languages: `eng`, `chi_sim`, `deu_frak`.
        package static func isName(_ name: String) -> Bool {
            let parts = name.split(separator: "_", omittingEmptySubsequences: false)
            return name.utf8.count <= 20 && parts.first?.utf8.count == 3
                && parts.allSatisfy { part in
                    !part.isEmpty && part.utf8.allSatisfy { (97...122).contains($0) || (65...90).contains($0) }
                }
        }
    }
}
