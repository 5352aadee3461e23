import ArgumentParser
import Community
import EPUB
import FoundationEssentials
import Glibc
import SystemPackage

/// `commonplace read-ebook`: reads one file that a stranger sent. The server starts it under limits, without settings and without
/// secrets; nobody calls it by hand.
struct ReadEbook: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read-ebook", abstract: "Read an e-book into pages.", shouldDisplay: false)

    @Argument(help: "The file.")
    var file: String

    @Option(help: "Write what was read to this file, a line of JSON each.")
    var output: String

    @Option(help: "The number of the layout that the pages are counted in.")
    var layout = 1

    @Option(help: "Write the bytes of this picture, and nothing else.")
    var picture: Int?

    func run() throws {
        let output = try OpenFile.writing(output, permissions: .ownerReadWrite)
        do throws(EPUB.Refusal) {
            let reading = try Self.open(file)
            if let picture {
                try reading.pictureBytes(picture, to: output.descriptor)
            } else {
                try write(reading, to: output)
            }
        } catch {
            // Not the file's fault, as far as is known.
            guard error != .unreadable else { throw CommandError(.failure, Self.trouble) }
            guard picture == nil else { throw CommandError(.invalid, error.sentence) }
            try output.cut(to: 0)
            try output.write(line: .refused(code: error.problem, sentence: error.sentence))
        }
    }

    /// The words of the system for the last thing that went wrong, by which the server tells a full disk.
    private static var trouble: String { String(cString: strerror(errno)) }

    /// What is no archive is read as text, and refused as none where it is neither.
    private static func open(_ path: String) throws(EPUB.Refusal) -> EPUB.Reading {
        do throws(EPUB.Refusal) {
            return try EPUB.read(path: path)
        } catch EPUB.Refusal.notZIP {
            do throws(EPUB.Refusal) {
                return try EPUB.readText(path: path)
            } catch EPUB.Refusal.textNotUTF8, EPUB.Refusal.textWithNUL {
                throw .notZIP
            }
        }
    }

    /// Twice over the pages: links may lead forward, so that nothing is written for good before the last page is known.
    private func write(_ reading: EPUB.Reading, to file: OpenFile) throws(EPUB.Refusal) {
        var layout = EbookLayout(reading.facts, number: layout)
        let drafts = output + ".draft"
        do {
            let draft = try OpenFile.writing(drafts, permissions: .ownerReadWrite)
            while let chapter = try reading.nextChapter() {
                layout.add(chapter)
                for page in chapter.pages { try draft.write(json: page) }
            }
            try file.write(line: .facts(layout.facts))
            var lines = try Ebooks.LineReader(drafts)
            while let line = try lines.next() {
                let page = try JSONDecoder().decode(EPUB.Page.self, from: line)
                try file.write(line: .page(layout.line(for: page)))
            }
        } catch let refusal as EPUB.Refusal {
            throw refusal
        } catch {
            throw .unreadable
        }
    }
}

extension EPUB.Refusal {
    /// What callers of the server are told.
    var problem: ProblemCode {
        switch self {
        case .encrypted, .protected: .ebookLocked
        case .tooManyMembers, .inflatesTooMuch, .documentTooLarge, .documentTooComplex, .tooManyPages, .textTooLarge,
            .pictureTooLarge:
            .ebookTooLarge
        default: .ebookDamaged
        }
    }
}

extension OpenFile {
    fileprivate func write(line: Ebooks.Line) throws { try write(json: line) }

    fileprivate func write(json value: some Encodable) throws {
        var bytes = try JSONEncoder().encode(value)
        bytes.append(UInt8(ascii: "\n"))
        try write(bytes)
    }
}
