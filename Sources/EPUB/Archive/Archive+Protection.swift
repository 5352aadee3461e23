extension EPUB.Archive {
    private static let rights = ["META-INF/rights.xml", "META-INF/license.lcpl", "META-INF/sinf.xml"]
    private static let obfuscations = [
        "http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC",
    ]

    /// The files that are obfuscated as fonts may be. Throws `.protected` where a file says that the book is under DRM,
    /// or where content is encrypted in another way.
    func obfuscated() throws(EPUB.Refusal) -> Set<String> {
        guard Self.rights.allSatisfy({ member(named: $0) == nil }) else { throw .protected }
        guard let member = member(named: "META-INF/encryption.xml") else { return [] }
        guard let root = try? EPUB.XML.tree(of: self, member, limits: limits), root.name == "encryption" else {
            throw .protected
        }
        var names: Set<String> = []
        for data in root.all("encrypteddata") {
            let method = data.first("encryptionmethod")?["Algorithm"] ?? ""
            guard let address = data.first("cipherreference")?["URI"] else { throw .protected }
            guard Self.obfuscations.contains(method) else { throw .protected }
            guard let path = EPUB.Path.resolve(address, from: "") else { continue }
            names.insert(path.name)
        }
        return names
    }
}
