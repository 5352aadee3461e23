import Community
import HTTPTypes
import Testing
import Web

@Suite struct FormTests {
    private func form(_ text: String, strict: Bool = false) throws -> Form {
        try Form(bytes: Array(text.utf8), contentType: "application/json; charset=utf-8", isStrict: strict)
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

    @Test func `unknown fields are ignored, and faults for who asks for strictness`() throws {
        var lenient = try form(#"{"a":1,"b":2}"#)
        var strict = try form(#"{"a":1,"b":2}"#, strict: true)
        _ = lenient.integer("a", in: 0...9)
        _ = strict.integer("a", in: 0...9)

        try lenient.check()
        #expect(throws: Failure.invalid("/b", "unknown", "There is no such field.")) { try strict.check() }
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
