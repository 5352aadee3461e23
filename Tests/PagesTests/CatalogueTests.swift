import Foundation
import TestSupport
import Testing
import Web

@testable import Pages

/// The templates, texts and assets that stand in the program.
struct CatalogueTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Pages").standardizedFileURL

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Self.sources.appending(path: folder).path).sorted()
    }

    @Test func `every file of a folder stands in the program`() throws {
        #expect(try names(in: "Templates") == Files.templates.keys.map { $0 + ".mustache" }.sorted())
        #expect(try names(in: "Texts") == Files.texts.map(\.name).sorted())
        #expect(try names(in: "Assets") == Files.assets.map(\.name).sorted())
    }

    @Test func `every text is there that a template names, and every one that is there is named`() throws {
        #expect(try Library().unused(besides: Formats.keys) == [])
    }

    @Test func `every template of a page is there, and every page's calls are calls of the API`() throws {
        let library = try Library()
        for page in Page.all {
            #expect(library.has(page.template), "\(page.path)")
            for other in page.cases { #expect(library.has(other.template), "\(page.path)") }
            #expect(page.besideMine.isSubset(of: page.beside.map(\.key)), "\(page.path)")
        }
        #expect(Set(Page.all.map(\.path)).count == Page.all.count)
    }

    @Test func `the made-up language changes every text, keeps its names, and is 40 percent longer`() throws {
        let texts = try Library().texts
        for (key, text) in texts.pseudo.all where key != "format.months" {
            guard case .one(let accented) = text, case .one(let plain)? = texts.all[key] else { continue }
            let (long, short) = (String(decoding: accented, as: UTF8.self), String(decoding: plain, as: UTF8.self))
            #expect(long.count >= short.count * 7 / 5, "\(key)")
            for name in short.split(separator: "{").dropFirst() {
                #expect(long.contains("{" + name.prefix { $0 != "}" } + "}"), "\(key)")
            }
        }
    }
}
