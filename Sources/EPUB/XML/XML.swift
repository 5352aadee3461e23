import CXML

extension EPUB {
    /// Documents read through libxml2, which gives each element and each piece of text to a handler as it comes.
    ///
    /// `prepare` goes before: libxml2 never sees a DTD, a comment, a processing instruction or an entity of a name.
    enum XML {
        /// Takes what stands in a document, in order. Elements that are opened are closed.
        protocol Handler: AnyObject {
            /// `name`: local, in lower case.
            func open(_ name: String, _ attributes: Attributes)
            func close(_ name: String)
            func text(_ bytes: UnsafeBufferPointer<UInt8>)
            /// Set where the handler can take no more: reading ends then.
            var refusal: Refusal? { get }
        }

        /// The attributes of one element, valid while the handler has it.
        struct Attributes {
            /// What libxml2 gives: five pointers for each attribute of XML, two of HTML.
            enum Source {
                case none
                case xml(UnsafeMutablePointer<UnsafePointer<xmlChar>?>, count: Int)
                case html(UnsafeMutablePointer<UnsafePointer<xmlChar>?>)
            }

            let source: Source

            var isEmpty: Bool {
                switch source {
                case .none: true
                case .xml(_, let count): count == 0
                case .html(let fields): fields[0] == nil
                }
            }

            /// The value of the first attribute with this local name, whatever its prefix.
            subscript(_ name: StaticString) -> String? {
                var found: String?
                each { local, value in
                    guard found == nil, Self.matches(local, name) else { return true }
                    found = String(decoding: value, as: UTF8.self)
                    return false
                }
                return found
            }

            /// All of them, by local name; the first of a name counts.
            var all: [String: String] {
                var all: [String: String] = [:]
                each { local, value in
                    let name = String(cString: local)
                    if all[name] == nil { all[name] = String(decoding: value, as: UTF8.self) }
                    return true
                }
                return all
            }

            /// Until `body` gives false.
            private func each(_ body: (UnsafePointer<xmlChar>, UnsafeBufferPointer<UInt8>) -> Bool) {
                switch source {
                case .none: return
                case .xml(let fields, let count):
                    for index in 0..<count {
                        guard let local = fields[index * 5], let from = fields[index * 5 + 3],
                            let end = fields[index * 5 + 4]
                        else { continue }
                        if !body(local, UnsafeBufferPointer(start: from, count: end - from)) { return }
                    }
                case .html(let fields):
                    var index = 0
                    while let name = fields[index] {
                        let value = fields[index + 1]
                        index += 2
                        // The parser of HTML knows no prefixes: `epub:type` is a name to it.
                        let local = xmlStrchr(name, UInt8(ascii: ":")).map { $0 + 1 } ?? name
                        let length = value.map { Int(xmlStrlen($0)) } ?? 0
                        if !body(local, UnsafeBufferPointer(start: value, count: length)) { return }
                    }
                }
            }

            private static func matches(_ local: UnsafePointer<xmlChar>, _ name: StaticString) -> Bool {
                let count = name.utf8CodeUnitCount
                for index in 0..<count where local[index] != name.utf8Start[index] { return false }
                return local[count] == 0
            }
        }

        /// How a document ended.
        enum Outcome {
            case wellFormed
            /// What the handler took is not to be used: nor in the next case.
            case malformed
            /// Beyond the limit of depth. As HTML it may be flat: there `<p>` ends the paragraph before.
            case tooDeep
        }
    }
}
