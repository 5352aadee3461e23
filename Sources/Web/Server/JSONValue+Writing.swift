import JSONWriting

extension JSONValue: JSONWritable {
    /// Members in the order of their names, so that the same value always gives the same bytes.
    package func write(to output: JSONOutput) {
        switch self {
        case .null: String?.none.write(to: output)
        case .boolean(let flag): flag.write(to: output)
        case .number(let text):
            if let whole = Int64(text) { output.write(whole) } else { (Double(text) ?? 0).write(to: output) }
        case .string(let text): output.write(text)
        case .array(let elements): elements.write(to: output)
        case .object(let members): members.write(to: output)
        }
    }
}
