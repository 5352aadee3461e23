import CXML

extension EPUB.XML {
    /// Gives the document to the handler. Throws the handler's refusal, and `.documentTooComplex` beyond the limits of
    /// nodes and namespaces.
    static func parse(_ document: [UInt8], into handler: any Handler, limits: EPUB.Limits) throws(EPUB.Refusal)
        -> Outcome
    {
        let relay = Relay(handler, nodes: limits.nodes, limits: limits)
        let isWellFormed = withLibrary {
            document.withUnsafeBytes { bytes in
                guard let context = xmlCreateMemoryParserCtxt(bytes.baseAddress, Int32(bytes.count)) else {
                    return false
                }
                defer { xmlFreeParserCtxt(context) }
                relay.attach(to: context)
                // There is no entity to put in, as `prepare` took them and no handler for declarations is set. Without
                // NOENT libxml2 hands `&` on as `&#38;` in attributes; without HUGE it ends after 10 MB. Our limits hold.
                xmlCtxtUseOptions(
                    context,
                    Int32(
                        XML_PARSE_NONET.rawValue | XML_PARSE_NOENT.rawValue | XML_PARSE_HUGE.rawValue
                            | XML_PARSE_NOERROR.rawValue
                            | XML_PARSE_NOWARNING.rawValue))
                xmlParseDocument(context)
                return context.pointee.wellFormed != 0
            }
        }
        if let refusal = relay.refusal ?? handler.refusal { throw refusal }
        return relay.isTooDeep ? .tooDeep : isWellFormed ? .wellFormed : .malformed
    }

    /// The same as HTML, which takes anything. Throws `.documentTooComplex` beyond the limit of depth too.
    static func repair(_ document: [UInt8], into handler: any Handler, limits: EPUB.Limits) throws(EPUB.Refusal) {
        let relay = Relay(handler, nodes: limits.nodes, limits: limits)
        withLibrary {
            document.withUnsafeBytes { bytes in
                let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                guard let context = htmlCreateMemoryParserCtxt(start, Int32(bytes.count)) else { return }
                defer { htmlFreeParserCtxt(context) }
                relay.attach(to: context)
                htmlCtxtUseOptions(
                    context,
                    Int32(
                        HTML_PARSE_NONET.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
                            | HTML_PARSE_NODEFDTD.rawValue | HTML_PARSE_IGNORE_ENC.rawValue
                            | HTML_PARSE_RECOVER.rawValue))
                xmlSwitchEncoding(context, XML_CHAR_ENCODING_UTF8)
                htmlParseDocument(context)
            }
        }
        if let refusal = relay.refusal ?? handler.refusal { throw refusal }
        if relay.isTooDeep { throw .documentTooComplex }
    }

    private static let isReady: Void = xmlInitParser()

    private static func withLibrary<Result>(_ body: () -> Result) -> Result {
        _ = isReady
        return body()
    }

    /// Stands between libxml2's callbacks and a handler, and counts.
    private final class Relay {
        private let handler: any Handler
        private let limits: EPUB.Limits
        private var nodes: Int
        private var depth = 0
        /// Names of namespaces that each open element brings. libxml2 looks through all of them for each name.
        private var namespaces: [Int] = []
        private var namespacesInForce = 0
        private(set) var refusal: EPUB.Refusal?
        private(set) var isTooDeep = false
        private var context: xmlParserCtxtPtr?

        init(_ handler: any Handler, nodes: Int, limits: EPUB.Limits) {
            (self.handler, self.nodes, self.limits) = (handler, nodes, limits)
        }

        /// The relay must live as long as the parser runs.
        func attach(to context: xmlParserCtxtPtr) {
            self.context = context
            context.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
            guard let sax = context.pointee.sax else { return }
            sax.pointee = xmlSAXHandler()
            sax.pointee.initialized = UInt32(XML_SAX2_MAGIC)
            sax.pointee.startElementNs = { user, local, _, _, namespaces, _, count, _, fields in
                guard let local else { return }
                let source: Attributes.Source = fields.map { .xml($0, count: Int(count)) } ?? .none
                Relay.of(user)?.open(local, source, namespaces: Int(namespaces))
            }
            sax.pointee.endElementNs = { user, local, _, _ in
                if let local { Relay.of(user)?.close(local) }
            }
            sax.pointee.startElement = { user, name, fields in
                guard let name else { return }
                Relay.of(user)?.open(Relay.local(name), fields.map { .html($0) } ?? .none, namespaces: 0)
            }
            sax.pointee.endElement = { user, name in
                if let name { Relay.of(user)?.close(Relay.local(name)) }
            }
            sax.pointee.characters = { user, text, count in Relay.of(user)?.text(text, Int(count)) }
            sax.pointee.ignorableWhitespace = { user, text, count in Relay.of(user)?.text(text, Int(count)) }
            sax.pointee.cdataBlock = { user, text, count in Relay.of(user)?.text(text, Int(count)) }
        }

        private static func of(_ user: UnsafeMutableRawPointer?) -> Relay? {
            user.map { Unmanaged<Relay>.fromOpaque($0).takeUnretainedValue() }
        }

        private static func local(_ name: UnsafePointer<xmlChar>) -> UnsafePointer<xmlChar> {
            xmlStrchr(name, UInt8(ascii: ":")).map { UnsafePointer($0 + 1) } ?? name
        }

        private func open(_ name: UnsafePointer<xmlChar>, _ source: Attributes.Source, namespaces count: Int) {
            guard refusal == nil, !isTooDeep, handler.refusal == nil else { return stop() }
            depth += 1
            nodes -= 1
            namespaces.append(count)
            namespacesInForce += count
            guard depth <= limits.depth else {
                isTooDeep = true
                return stop()
            }
            guard nodes >= 0, namespacesInForce <= limits.attributes else {
                return stop(.documentTooComplex)
            }
            handler.open(Self.lowered(name), Attributes(source: source))
        }

        private func close(_ name: UnsafePointer<xmlChar>) {
            guard refusal == nil, !isTooDeep, handler.refusal == nil else { return stop() }
            depth -= 1
            namespacesInForce -= namespaces.popLast() ?? 0
            handler.close(Self.lowered(name))
        }

        private func text(_ bytes: UnsafePointer<xmlChar>?, _ count: Int) {
            guard refusal == nil, !isTooDeep, handler.refusal == nil else { return stop() }
            handler.text(UnsafeBufferPointer(start: bytes, count: count))
        }

        private func stop(_ why: EPUB.Refusal? = nil) {
            refusal = refusal ?? why
            if let context { xmlStopParser(context) }
        }

        private static func lowered(_ name: UnsafePointer<xmlChar>) -> String {
            let name = String(cString: name)
            return name.utf8.contains { (65...90).contains($0) } ? name.lowercased() : name
        }
    }
}
