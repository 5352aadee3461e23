/// The few dozen genres by which readers browse, and the labels of sources that mean them.
///
/// A label that means none of them is a subject where the source has subjects, and dropped where it has only tags.
package enum Genres {
    /// The slugs that a source's label stands for: mostly one, none for an unknown label.
    package static func slugs(of label: some StringProtocol) -> [String] {
        aliases[Normaliser.fold(label)] ?? []
    }

    /// The name for people of a slug in `all`.
    package static func name(of slug: String) -> String? { names[slug] }

    /// Slug, name, then labels that mean it, folded.
    private static let all: [(slug: String, name: String, labels: [String])] = [
        ("art", "Art", ["arts", "art history", "photography"]),
        (
            "biography", "Biography",
            [
                "biographies", "biography autobiography", "autobiography", "autobiographies", "biography memoir",
                "memoir biography",
            ]
        ),
        ("business", "Business", ["economics", "business economics", "finance", "management", "entrepreneurship"]),
        (
            "children", "Children",
            [
                "childrens", "children s", "childrens books", "children s books", "childrens lit", "children s lit",
                "childrens literature", "children s literature", "children s fiction", "childrens fiction",
                "children books", "juvenile fiction", "juvenile literature", "picture books", "middle grade", "kids",
            ]
        ),
        (
            "classics", "Classics",
            ["classic", "classic literature", "classics literature", "classic fiction", "modern classics"]
        ),
        (
            "comics", "Comics and graphic novels",
            [
                "comic", "graphic novel", "graphic novels", "graphic novels comics", "comics graphic novels",
                "comic books", "comic books strips etc", "manga",
            ]
        ),
        ("contemporary", "Contemporary fiction", ["contemporary fiction", "modern fiction"]),
        ("cooking", "Food and cooking", ["food", "cookbooks", "cookbook", "cookery", "food and drink"]),
        (
            "crime", "Crime",
            [
                "crime fiction", "true crime", "crime mystery", "crime thriller", "detective", "murder mystery",
                "detective and mystery stories", "police procedural",
            ]
        ),
        ("drama", "Drama", ["plays", "theatre", "theater", "play"]),
        ("dystopia", "Dystopia", ["dystopian", "dystopias", "dystopian fiction", "post apocalyptic"]),
        ("essays", "Essays", ["essay", "literary criticism"]),
        (
            "fantasy", "Fantasy",
            [
                "fantasy fiction", "epic fantasy", "high fantasy", "urban fantasy", "paranormal fantasy",
                "fiction fantasy general", "ya fantasy", "magic",
            ]
        ),
        ("fiction", "Fiction", ["general fiction", "adult fiction", "fiction general", "novels", "novel"]),
        ("health", "Health", ["medicine", "medical", "fitness", "nutrition"]),
        (
            "historical-fiction", "Historical fiction",
            ["historical", "fiction historical", "fiction historical general", "historical novels"]
        ),
        ("history", "History", ["world history", "military history", "american history", "war", "history general"]),
        ("horror", "Horror", ["horror fiction", "horror tales", "ghost stories", "fiction horror"]),
        ("humor", "Humor", ["humour", "comedy", "funny", "satire", "wit and humor", "humorous fiction"]),
        ("literary", "Literary fiction", ["literary fiction", "literature", "literary", "fiction literary"]),
        ("memoir", "Memoir", ["memoirs"]),
        (
            "mystery", "Mystery",
            [
                "mysteries", "mystery fiction", "mystery crime", "mystery thriller", "mystery suspense", "cozy mystery",
                "fiction mystery detective general",
            ]
        ),
        (
            "mythology", "Mythology and folklore",
            ["myths", "folklore", "fairy tales", "fairytales", "legends", "mythology folklore"]
        ),
        ("nature", "Nature", ["animals", "environment", "natural history", "ecology"]),
        ("nonfiction", "Nonfiction", ["non fiction"]),
        ("paranormal", "Paranormal", ["supernatural", "vampires", "paranormal romance", "witches", "ghosts"]),
        ("parenting", "Family and parenting", ["family", "parenting", "child rearing"]),
        ("philosophy", "Philosophy", ["ethics", "existentialism"]),
        ("poetry", "Poetry", ["poems", "poetry general"]),
        ("politics", "Politics", ["political science", "politics and government", "political"]),
        ("psychology", "Psychology", ["psychological", "popular psychology"]),
        (
            "religion", "Religion and spirituality",
            [
                "religious", "spirituality", "christianity", "christian", "theology", "islam", "buddhism", "judaism",
                "faith",
            ]
        ),
        (
            "romance", "Romance",
            [
                "romance fiction", "love stories", "contemporary romance", "historical romance", "adult romance",
                "chick lit", "fiction romance contemporary", "fiction romance general",
            ]
        ),
        ("science", "Science", ["popular science", "physics", "biology", "mathematics", "astronomy", "chemistry"]),
        (
            "science-fiction", "Science fiction",
            [
                "sci fi", "scifi", "sf", "science fiction general", "fiction science fiction general", "space opera",
                "cyberpunk",
            ]
        ),
        ("self-help", "Self-help", ["personal development", "self improvement", "productivity", "self help general"]),
        (
            "short-stories", "Short stories",
            ["short story", "short fiction", "anthologies", "fiction short stories single author"]
        ),
        (
            "society", "Society and culture",
            ["sociology", "social science", "feminism", "anthropology", "culture", "education", "law"]
        ),
        ("sports", "Sports", ["sport", "sports and recreation", "games"]),
        ("suspense", "Suspense", ["suspense fiction", "fiction suspense"]),
        (
            "technology", "Computers and technology",
            ["computers", "computer science", "programming", "engineering", "software"]
        ),
        (
            "thriller", "Thriller",
            [
                "thrillers", "espionage", "spy stories", "fiction thrillers general", "thriller suspense",
                "suspense thriller",
            ]
        ),
        ("travel", "Travel", ["description and travel", "travel writing", "adventure travel"]),
        (
            "adventure", "Adventure",
            [
                "adventure stories", "action adventure", "adventure fiction", "action and adventure fiction",
                "adventure and adventurers fiction",
            ]
        ),
        ("western", "Western", ["westerns", "western stories", "fiction westerns"]),
        (
            "young-adult", "Young adult",
            [
                "ya", "ya fiction", "ya books", "ya lit", "teen", "teen fiction", "young adult fiction",
                "young adult literature", "juvenile",
            ]
        ),
        ("music", "Music", ["musicians", "music general"]),
    ]

    /// Labels that name two genres at once.
    private static let double: [String: [String]] = [
        "sci fi fantasy": ["science-fiction", "fantasy"], "fantasy sci fi": ["science-fiction", "fantasy"],
        "scifi fantasy": ["science-fiction", "fantasy"], "fantasy scifi": ["science-fiction", "fantasy"],
        "science fiction fantasy": ["science-fiction", "fantasy"], "sf fantasy": ["science-fiction", "fantasy"],
        "sci fi and fantasy": ["science-fiction", "fantasy"], "crime mystery": ["crime", "mystery"],
        "mystery crime": ["crime", "mystery"], "mystery thriller": ["mystery", "thriller"],
        "thriller mystery": ["mystery", "thriller"], "mystery suspense": ["mystery", "suspense"],
        "crime thriller": ["crime", "thriller"], "suspense thriller": ["suspense", "thriller"],
        "thriller suspense": ["suspense", "thriller"], "paranormal romance": ["paranormal", "romance"],
    ]

    private static let names = Dictionary(uniqueKeysWithValues: all.map { ($0.slug, $0.name) })

    private static let aliases: [String: [String]] = {
        var table: [String: [String]] = [:]
        for genre in all {
            for label in [Normaliser.fold(genre.slug), Normaliser.fold(genre.name)] + genre.labels {
                table[label] = [genre.slug]
            }
        }
        return table.merging(double) { $1 }
    }()
}
