import Community

// How readers say what a post gives away.
extension Form {
    /// `"free"`, `"finished"`, `{"upto": P}` in ten-thousandths, `{"page": p, "of": n}`, `{"ebook": id, "page": p}` or
    /// `{"chapter": n}`; `nil` where it is left out or null, and beside a fault.
    mutating func scope(_ name: String = "scope") -> Boards.SaidScope? {
        guard let value = json(name), value != .null else { return nil }
        return scope(value, at: name)
    }

    /// The same, or ten-thousandths without more.
    mutating func position(_ name: String = "position") -> Boards.SaidScope? {
        guard let value = json(name), case .number = value else { return scope(name) }
        return whole(value, in: 0...Gate.end, at: name).flatMap(Gate.Scope.init(position:)).map { .scope($0) }
    }

    /// What was read of a field that must be given: free where it is missing, beside a fault.
    mutating func required(_ said: Boards.SaidScope?, _ name: String) -> Boards.SaidScope {
        if said == nil, json(name) == nil || json(name) == .null { fault(name, .required, "must be given") }
        return said ?? .scope(.free)
    }

    /// `{"book_id", "scope"?}`: a later book of the series that is given away, too; all of it where nothing else is
    /// said.
    mutating func also() -> Boards.SaidAlso? {
        guard let value = json("also"), value != .null else { return nil }
        guard case .object(let members) = value else {
            fault("also", .badFormat, "must be an object of book_id and scope")
            return nil
        }
        guard case .string(let text) = members["book_id"], let book = ID<Catalog.Work>(text: text) else {
            fault("also/book_id", members["book_id"] == nil ? .required : .badFormat, "must be an identifier")
            return nil
        }
        guard let said = members["scope"], said != .null else { return Boards.SaidAlso(book: book) }
        return scope(said, at: "also/scope").map { Boards.SaidAlso(book: book, scope: $0) }
    }

    private mutating func scope(_ value: JSONValue, at name: String) -> Boards.SaidScope? {
        switch value {
        case .string("free"): return .scope(.free)
        case .string("finished"): return .scope(.finished)
        case .string:
            fault(name, .unknown, "must be free or finished, or an object")
            return nil
        case .object(let members):
            switch Set(members.keys) {
            case ["upto"]:
                return whole(members["upto"], in: 0...Gate.end, at: name + "/upto")
                    .flatMap(Gate.Scope.init(position:)).map { .scope($0) }
            case ["page", "of"]: return page(members, at: name)
            case ["ebook", "page"]:
                guard case .string(let text)? = members["ebook"], let ebook = ID<Ebooks.Ebook>(text: text) else {
                    fault(name + "/ebook", .badFormat, "must be an identifier")
                    return nil
                }
                return whole(members["page"], in: 1...Limits.places.pages.upperBound, at: name + "/page")
                    .map { .ebook(ebook, page: $0) }
            case ["chapter"]:
                return whole(members["chapter"], in: Limits.places.chapters, at: name + "/chapter")
                    .map { .chapter($0) }
            default:
                fault(name, .badFormat, "must have upto, page and of, ebook and page, or chapter")
                return nil
            }
        default:
            fault(name, .wrongType, "must be a string or an object, is \(value.kind)")
            return nil
        }
    }

    private mutating func page(_ members: [String: JSONValue], at name: String) -> Boards.SaidScope? {
        let pages = whole(members["of"], in: Limits.places.pages, at: name + "/of")
        guard let pages, let page = whole(members["page"], in: 0...pages, at: name + "/page") else { return nil }
        return Boards.SaidScope.page(page, of: pages)
    }

    private mutating func whole(_ value: JSONValue?, in range: ClosedRange<Int>, at name: String) -> Int? {
        guard case .number(let text) = value, let double = Double(text), double == double.rounded() else {
            fault(name, .wrongType, "must be a whole number")
            return nil
        }
        guard let number = Int(text) ?? Int(exactly: double), range.contains(number) else {
            fault(name, .outOfRange, "must be \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }
}
