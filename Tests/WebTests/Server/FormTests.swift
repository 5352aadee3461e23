import Community
import HTTPTypes
import Testing
import Web

@Suite struct FormTests {
    private func form(_ text: String, shape: Schema? = nil) throws -> Form {
        try Form(bytes: Array(text.utf8), contentType: "application/json; charset=utf-8", shape: shape)
    }

    private enum Colour: String, CaseIterable { case red, blue }

    @Test func `every fault is reported at once, each with a pointer and a code`() throws {
        var form = try form(
            #"{"title":"","rating":9,"year":1.5,"id":"x","on":"yes","colour":"green","tags":["a",1,"toolong"],"name":7,"day":"2026-02-30","nul":"\u0000"}"#
        )

        _ = form.string("title", bytes: 1...10)
        _ = form.string("missing", bytes: 1...10)
        _ = form.number("rating", in: 0.25...5)
        _ = form.integer("year", in: 1...9999)
        _ = form.id("id", as: Accounts.Account.self)
        _ = form.boolean("on", default: false)
        _ = form.optionalChoice("colour", Colour.self)
        _ = form.strings("tags", count: 0...5, bytes: 1...3)
        _ = form.optionalString("name", bytes: 1...10)
        _ = form.optionalDate("day")
        _ = form.optionalString("nul", bytes: 0...10)

        let expected: Set<String> = [
            "/title too_short", "/missing required", "/rating out_of_range", "/year wrong_type", "/id bad_format",
            "/on wrong_type",
            "/colour unknown", "/tags/1 wrong_type", "/tags/2 too_long", "/name wrong_type", "/day bad_format",
            "/nul bad_character",
        ]
        #expect {
            try form.check()
        } throws: { error in
            guard case .invalid(let faults) = error as? Failure else { return false }
            return Set(faults.map { "\($0.pointer) \($0.code)" }) == expected && faults.count == expected.count
        }
    }

    @Test func `good values come through, and what is left out or null is nil`() throws {
        var form = try form(#"{"title":"Emma","rating":4.25,"year":1815,"colour":"red","none":null}"#)

        #expect(form.string("title", bytes: 1...10) == "Emma")
        #expect(form.number("rating", in: 0.25...5) == 4.25)
        #expect(form.integer("year", in: 1...9999) == 1815)
        #expect(form.optionalChoice("colour", Colour.self) == .red)
        #expect(form.optionalString("none", bytes: 1...10) == nil)
        #expect(form.has("none"))
        #expect(form.optionalString("absent", bytes: 1...10) == nil)
        try form.check()
    }

    @Test(arguments: ["1e400", "-1e400", "9223372036854775808", "1e19", "0.1"])
    func `a number that no integer holds is a fault`(number: String) throws {
        var form = try form("{\"n\":\(number)}")

        _ = form.integer("n", in: Int.min...Int.max)

        #expect(throws: Failure.self) { try form.check() }
    }

    @Test func `a field that no rule asks for is a fault that names the nearest one`() throws {
        var form = try form(#"{"rating":1,"ratings":2,"x/y":3}"#)
        _ = form.integer("rating", in: 0...9)

        let expected = [
            Failure.Fault("/ratings", .unknownField, "There is no such field. Did you mean `rating`?"),
            Failure.Fault("/x~1y", .unknownField, "There is no such field. Allowed are `rating`."),
        ]
        #expect(throws: Failure.invalid(expected)) { try form.check() }
    }

    @Test func `so is one that the shape does not name, in inner objects, arrays and either of two shapes`() throws {
        let part = Schema.object("Part", ["title": .string])
        let page = Schema.object("AtPage", ["page": .integer, "of": .integer])
        let shape = Schema.object(
            "Whole", [:],
            optional: [
                "parts": .array(part), "inner": .orNull(part), "place": .either([.string, page, part]),
                "names": .map(part), "free": .any,
            ])
        let text =
            #"{"parts":[{"title":"a"},{"titel":1}],"inner":{"more":1},"place":{"page":1,"off":2},"#
            + #""names":{"any":{"b":1}},"free":{"c":1}}"#
        var form = try form(text, shape: shape)
        for name in ["parts", "inner", "place", "names", "free"] { _ = form.json(name) }

        let found = form.faultsAtEnd()
        #expect(found.map(\.pointer) == ["/inner/more", "/names/any/b", "/parts/1/titel", "/place/off"])
        #expect(found.map(\.detail).filter { $0.contains("Did you mean `of`?") }.count == 1)
    }

    @Test func `a body whose fields may all be left out may be absent`() throws {
        let free = Schema.object("Free", [:], optional: ["due": .date])
        var form = try Form(bytes: [], contentType: nil, shape: free)
        #expect(form.optionalDate("due") == nil)
        try form.check()

        let strict = Schema.object("Strict", ["due": .date])
        #expect(throws: Problem.self) { try Form(bytes: [], contentType: nil, shape: strict) }
    }

    @Test func `a body that is no JSON object is refused with its status`() {
        for (text, type, status) in [
            ("{}", "text/plain", 415), ("{}", nil, 415), ("[1]", "application/json", 400),
            ("{", "application/json", 400),
            ("", "application/json", 400),
        ] {
            #expect {
                try Form(bytes: Array(text.utf8), contentType: type)
            } throws: { error in
                (error as? Problem)?.status.code == status
            }
        }
    }
}
