import Community
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Postgres

/// What a handler knows about the call beside the request itself.
package struct SiteContext: RequestContext {
    /// What the server knows before it has found the route.
    package struct Source: RequestContextSource {
        package let site: Site
        /// Echoed in `X-Request-Id`, logged, and named in problems: 1 to 64 of `A-Z a-z 0-9 . _ -`.
        package let requestID: String
        /// The client, behind trusted proxies: the key of limits per address. Never logged.
        package let address: ClientAddress
        /// Somebody on this machine asks for itself: no proxy has passed the request on.
        package let isLocal: Bool
        /// Whether the client still waits.
        package let presence: Presence
        /// Why the request was refused an upgrade; `nil` where it asked for none.
        var refusal: (any Error)?
        /// Who calls from the server's own terminal, by the operating system's name; `nil` over HTTP.
        package var terminal: String?
        /// The connection on which the call came; `nil` in memory and from the terminal.
        package var channel: (any Channel)?
        package let logger: Logger
    }

    package var coreContext: CoreRequestContextStorage
    package let site: Site
    package let requestID: String
    package let address: ClientAddress
    package let isLocal: Bool
    package let presence: Presence
    /// Why the request, which is a plain one by now, was refused an upgrade: what its route answers. `nil` where it asked for none, and where none was
    /// offered.
    let refusal: (any Error)?
    /// Who calls from the server's own terminal: above every role, and nobody's account.
    package let terminal: String?
    /// The connection on which the call came, for answers that are written straight onto it; `nil` in memory.
    package let channel: (any Channel)?
    /// Who calls; `nil` without a token.
    package internal(set) var identity: Accounts.Identity?
    /// What an `Idempotency-Key` belongs to where the call ends its own session; `nil` elsewhere.
    var tokenDigest: [UInt8]?
    /// The body, read whole, for routes that take JSON.
    package internal(set) var body = ByteBuffer()
    /// Path and query as they were sent.
    package internal(set) var target = ""
    /// The route's path, parameters in braces.
    var route = ""
    /// The shape of the JSON that the route takes.
    var shape: Schema?
    /// Where this server is reached: `PUBLIC_URL`, else the loopback host that was asked. No slash at the end.
    package internal(set) var base = ""

    package init(source: Source) {
        self.coreContext = .init(source: source)
        self.site = source.site
        self.requestID = source.requestID
        self.address = source.address
        self.isLocal = source.isLocal
        self.presence = source.presence
        self.refusal = source.refusal
        self.terminal = source.terminal
        self.channel = source.channel
    }

    package var community: Community { site.community }

    /// Who is looking, for the visibility predicate.
    package var viewer: Viewer {
        if let identity { return .reader(identity.account) }
        return site.community.services.settings.access == .members ? .outsider : .anonymous
    }

    /// Who calls. Throws `Failure.unauthenticated`; never on a route with access `.reader` or `.verified`.
    package func signedIn() throws(Failure) -> Accounts.Identity {
        guard let identity else { throw .unauthenticated() }
        return identity
    }

    /// Who calls as a moderator: a reader of that role, or somebody at the server's own terminal. Throws `.unauthenticated`, `.forbidden`
    /// (`not_moderator`, `account_frozen`).
    package func moderator() throws(Failure) -> Moderation.Actor {
        if let terminal { return .terminal(terminal) }
        return try Moderation.Actor(moderating: signedIn())
    }

    /// Whether who calls may read what belongs to `area`: everybody but an access token without that scope.
    package func mayRead(_ area: String) -> Bool {
        identity?.scopes.map { $0.contains(Accounts.Scope(.read, area)) } ?? true
    }

    /// Throws 403 `insufficient_scope` for an access token that has no scope for this area.
    package func require(_ access: Accounts.Scope.Verb, _ area: String) throws(Problem) {
        let scope = Accounts.Scope(access, area)
        guard identity?.scopes?.contains(scope) ?? true else { throw Problem.insufficientScope(scope) }
    }

    /// The parameter `name` of the path as an identifier; anything that is none cannot exist: `Failure.notFound`.
    package func id<Entity>(_ name: String, as entity: Entity.Type) throws(Failure) -> ID<Entity> {
        guard let text = parameters[name[...]], let id = ID<Entity>(text: text) else { throw .notFound(name) }
        return id
    }

    /// The parameter `name` of the path as text: 1 to 200 bytes, no NUL; `Failure.notFound` otherwise.
    package func text(_ name: String) throws(Failure) -> String {
        guard let raw = parameters[name[...]], let text = Query.decode(raw), (1...200).contains(text.utf8.count),
            !text.utf8.contains(0)
        else { throw .notFound(name) }
        return text
    }

    /// The parameters after the `?`.
    package func query() throws(Failure) -> Query { try Query(target: target) }

    /// Which part of `list` is wanted, from `limit` and `cursor`. `filter` is whatever else decides what the list
    /// holds: a cursor made under another filter is refused. Throws `Failure.invalid` and `Problem.invalidCursor`.
    package func page<Key: Codable & Sendable>(list: String, filter: String = "", key: Key.Type) throws -> PageRequest<
        Key
    > {
        let query = try query()
        let limit = try query.integer("limit", in: Limits.page) ?? Limits.defaultPage
        let direction = try query.choice("direction", ListDirection.self)
        guard let cursor = query["cursor"], !cursor.isEmpty else {
            return PageRequest(.first, limit: limit, direction: direction)
        }
        let filter = try directed(filter)
        let start = try site.cursors.open(cursor, as: key, list: list, filter: filter)
        return PageRequest(start, limit: limit, direction: direction)
    }

    /// Whether a page of what is a reader's is empty because the reader keeps it from the caller: what has a level of its
    /// own and is on it shows that there is more to see.
    func isPrivate<Item, Key>(
        _ kind: Privacy.Kind, of username: String, _ page: Page<Item, Key>, _ asked: PageRequest<Key>
    ) async throws -> Bool {
        guard page.items.isEmpty, case .first = asked.start else { return false }
        return try await community.profiles.isPrivate(kind, of: username, for: viewer)
    }

    /// A filter with the direction that the list goes: a cursor leads on in that one alone.
    func directed(_ filter: String) throws -> String {
        guard let direction = try query()["direction"] else { return filter }
        return filter + "\0" + direction
    }

    /// The body as a form; one without fields where nothing was sent and every field may be left out. Throws `Problem` with 415 and 400;
    /// faults of fields wait for `form.check()`.
    package func form(_ request: Request) throws -> Form {
        try Form(request, body: body, shape: shape)
    }

    /// The path that is meant, however it was written: the route's words and the parameters' values.
    var meantPath: String {
        route.split(separator: "/", omittingEmptySubsequences: false).map { part in
            guard part.hasPrefix("{"), let raw = parameters[part.dropFirst().dropLast()] else { return String(part) }
            guard let value = Query.decode(raw), !value.utf8.contains(where: { $0 == 0x2F || $0 < 0x20 }) else {
                return String(raw)
            }
            return value
        }.joined(separator: "/")
    }

    /// This call's own address with another cursor.
    func link(cursor: String) -> String {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let kept = parts.count > 1 ? parts[1].split(separator: "&").filter { !$0.hasPrefix("cursor=") } : []
        return base + parts[0] + "?" + (kept + ["cursor=" + cursor]).joined(separator: "&")
    }
}

/// Parameters after the `?`, decoded strictly. `Route.checkParameters` refuses unknown ones before a handler reads any.
package struct Query: Sendable {
    private var values: [String: String] = [:]
    /// In the order in which they were sent, with those that were sent twice.
    package private(set) var names: [String] = []
    /// More parameters than any call needs.
    private static let limit = 100

    /// Throws `Failure.invalid` with one fault for each parameter that is not valid UTF-8 or carries NUL.
    package init(target: String) throws(Failure) {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return }
        var faults = Faults()
        let pairs = target[target.utf8.index(after: mark)...].split(separator: "&")
        faults.require(pairs.count <= Self.limit, "?", .tooMany, "must be at most \(Self.limit) parameters")
        for pair in pairs.prefix(Self.limit) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(parts[0], plus: true),
                let value = Self.decode(parts.count > 1 ? parts[1] : "", plus: true),
                !value.utf8.contains(0)
            else {
                faults.add("?" + parts[0], .badCharacter, "must be percent-encoded UTF-8 without NUL")
                continue
            }
            names.append(name)
            if values[name] == nil { values[name] = value }
        }
        try faults.check()
    }

    /// `text` as a value in an address: bytes that are no letter, no digit and none of `-._~` as `%XX` (RFC 3986).
    package static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            let scalar = UnicodeScalar(byte)
            let isPlain = byte < 0x80 && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            if isPlain || "-._~".utf8.contains(byte) {
                encoded.unicodeScalars.append(scalar)
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }

    /// The first value of `name`.
    package subscript(_ name: String) -> String? { values[name] }

    /// Text of `bytes` bytes; `nil` where it was not given. Throws `Failure.invalid`.
    package func text(_ name: String, bytes: ClosedRange<Int>) throws(Failure) -> String? {
        guard let value = values[name] else { return nil }
        guard bytes.contains(value.utf8.count) else {
            let code: FaultCode = value.utf8.count > bytes.upperBound ? .tooLong : .tooShort
            throw .invalid("?" + name, code, "must have \(bytes.lowerBound) to \(bytes.upperBound) bytes")
        }
        return value
    }

    /// An identifier; `nil` where it was not given. Throws `Failure.invalid`.
    package func id<Entity>(_ name: String, as entity: Entity.Type) throws(Failure) -> ID<Entity>? {
        guard let text = values[name] else { return nil }
        guard let id = ID<Entity>(text: text) else { throw .invalid("?" + name, .badFormat, "must be an identifier") }
        return id
    }

    /// A whole number; `nil` where it was not given. Throws `Failure.invalid`.
    package func integer(_ name: String, in range: ClosedRange<Int>) throws(Failure) -> Int? {
        guard let text = values[name] else { return nil }
        guard let value = Int(text) else { throw .invalid("?" + name, .wrongType, "must be a whole number") }
        guard range.contains(value) else {
            throw .invalid("?" + name, .outOfRange, "must be \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// A number; `nil` where it was not given. Throws `Failure.invalid`.
    package func number(_ name: String, in range: ClosedRange<Double>) throws(Failure) -> Double? {
        guard let text = values[name] else { return nil }
        guard let value = Double(text), value.isFinite else {
            throw .invalid("?" + name, .wrongType, "must be a number")
        }
        guard range.contains(value) else {
            throw .invalid("?" + name, .outOfRange, "must be \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// One of the names of `Choice`; `nil` where it was not given. Throws `Failure.invalid`.
    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) throws(Failure) -> Choice? where Choice.RawValue == String {
        try choice(name, of: Choice.allCases.map(\.rawValue)).flatMap(Choice.init)
    }

    /// One of `names`; `nil` where it was not given. Throws `Failure.invalid`.
    package func choice(_ name: String, of names: [String]) throws(Failure) -> String? {
        guard let text = values[name] else { return nil }
        guard names.contains(text) else {
            throw .invalid("?" + name, .unknown, "must be one of \(names.joined(separator: ", "))")
        }
        return text
    }

    /// `true` or `false`; `nil` where it was not given. Throws `Failure.invalid`.
    package func boolean(_ name: String) throws(Failure) -> Bool? {
        switch values[name] {
        case nil: nil
        case "true": true
        case "false": false
        default: throw .invalid("?" + name, .unknown, "must be true or false")
        }
    }

    /// Undoes percent-encoding; `nil` for a broken escape or bytes that are not UTF-8.
    package static func decode(_ text: Substring, plus: Bool = false) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(hexadecimal), let low = iterator.next().flatMap(hexadecimal)
                else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plus: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
