/// How events name a thing of which they tell nothing else: `{"id"}`.
struct Reference<Thing>: Encodable {
    let id: ID<Thing>

    init(_ id: ID<Thing>) { self.id = id }
}
