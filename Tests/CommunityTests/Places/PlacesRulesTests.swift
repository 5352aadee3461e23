import TestSupport
import Testing

@testable import Community

/// What a position is, without a database.
struct PlacesRulesTests {
    private func ground(
        own: Int? = nil, edition: Int? = nil, chapter: Int? = nil, hasChapters: Bool = false, at position: Int? = nil,
        device: String? = "phone", version: Int = 3
    ) -> Places.Ground {
        Places.Ground(
            work: .min,
            entry: Places.Ground.Entry(
                id: .min, status: .reading, position: position, reached: nil, page: nil, pages: own, device: device,
                anchor: nil,
                version: version),
            editionPages: edition, hasChapters: hasChapters, chapter: chapter)
    }

    @Test(
        arguments: [
            (0, 0), (12.34, 1234), (0.29, 29), (33.333, 3333), (99.999, 9999), (100, 10_000), (57.98, 5798),
        ] as [(Double, Int)])
    func `a percentage is rounded down`(percent: Double, position: Int) {
        #expect(Places.Said(percent: percent) == .part(position))
    }

    @Test func `every hundredth of a percent is itself`() {
        for part in 0...10_000 {
            let percent = Double(part) / 100
            #expect(Places.Said(percent: percent) == .part(part))
        }
    }

    @Test(
        arguments: [(0, 300, 0), (1, 300, 33), (150, 300, 5000), (299, 300, 9966), (300, 300, 10_000), (1, 7, 1428)])
    func `page p of n is p parts of n, rounded down`(page: Int, pages: Int, position: Int) throws {
        #expect(try ground().position(of: .page(page, of: pages)) == position)
        #expect(try ground(own: pages, edition: 9).position(of: .page(page, of: nil)) == position)
        #expect(try ground(edition: pages).position(of: .page(page, of: nil)) == position)
    }

    @Test func `what is no place in the book is refused, and the other ways are named`() {
        func codes(_ said: Places.Said, _ ground: Places.Ground) -> [String] {
            do {
                _ = try ground.position(of: said)
                return []
            } catch Failure.invalid(let faults) {
                return faults.map { $0.pointer + " " + $0.code.rawValue }
            } catch {
                return ["\(error)"]
            }
        }
        #expect(codes(.page(12, of: nil), ground()) == ["/page pages_unknown"])
        #expect(codes(.page(301, of: 300), ground()) == ["/page out_of_range"])
        #expect(codes(.page(-1, of: 300), ground()) == ["/page out_of_range"])
        #expect(codes(.chapter(3), ground()) == ["/chapter chapters_unknown"])
        #expect(codes(.chapter(3), ground(hasChapters: true)) == ["/chapter out_of_range"])
        #expect(codes(.chapter(3), ground(chapter: 2500, hasChapters: true)) == [])
        #expect(codes(.part(10_001), ground()) == ["/percent out_of_range"])
    }

    @Test(
        arguments: [
            // device, seen, meant, position; the phone is at 5000, version 3
            ("phone", nil, nil, 4000, false), ("tablet", nil, nil, 4000, true), ("tablet", nil, nil, 5000, false),
            ("tablet", nil, nil, 6000, false), ("tablet", 3, nil, 4000, false), ("tablet", 2, nil, 4000, true),
            ("tablet", nil, .mine, 4000, false), ("tablet", nil, .theirs, 4000, true),
        ] as [(String, Int?, Places.Meant?, Int, Bool)])
    func `a device is behind where another logged a later position that it does not know of`(
        device: String, seen: Int?, meant: Places.Meant?, position: Int, isBehind: Bool
    ) {
        let step = Places.Step(.part(position), device: device, seen: seen, meant: meant)
        #expect(ground(at: 5000).isBehind(step, at: position) == isBehind)
        #expect(!ground(at: nil).isBehind(step, at: position))
    }

    @Test func `a book that was moved on the shelves is ahead of every device`() {
        let step = Places.Step(.part(6100), device: "tablet")
        #expect(ground(at: 10_000, device: nil).isBehind(step, at: 6100))
    }
}
