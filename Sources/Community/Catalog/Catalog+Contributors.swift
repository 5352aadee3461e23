import JSONWriting
import Postgres

extension Catalog {
    /// What somebody did in a work or an edition, called as the relators of MARC 21 are, in snake_case
    /// (id.loc.gov/vocabulary/relators): those that readers look for.
    package enum Role: String, Sendable, CaseIterable, PostgresText {
        case author, adapter, artist, compiler, contributor, creator, editor, illustrator, photographer, translator
        case authorOfIntroduction = "author_of_introduction"
        case authorOfAfterword = "author_of_afterword"
        case coverDesigner = "cover_designer"
        case narrator, performer, singer
        case voiceActor = "voice_actor"
        case actor, cinematographer, composer, director, presenter, producer, screenwriter
        case filmEditor = "film_editor"
    }

    /// Who made a work or an edition, with what they did.
    package struct Contributor: Hashable, Sendable {
        package let id: ID<Author>
        package let name: String
        /// `nil`: nobody said; most often the author.
        package let role: Role?
    }

    /// Schema.org's words for what an edition asks of a reader's senses and how it helps.
    package enum Accessibility {
        /// Of `accessMode`.
        package static let modes = [
            "auditory", "chartOnVisual", "chemOnVisual", "colorDependent", "diagramOnVisual", "mathOnVisual",
            "musicOnVisual", "tactile", "textOnVisual", "textual", "visual",
        ]
        /// Of `accessibilityFeature`.
        package static let features = [
            "alternativeText", "annotations", "ARIA", "audioDescription", "braille", "captions", "ChemML",
            "closedCaptions", "describedMath", "displayTransformability", "highContrastAudio", "highContrastDisplay",
            "index", "largePrint", "latex", "latex-chemistry", "longDescription", "MathML", "MathML-chemistry", "none",
            "openCaptions", "pageBreakMarkers", "pageNavigation", "readingOrder", "rubyAnnotations", "signLanguage",
            "structuralNavigation", "synchronizedAudioText", "tableOfContents", "tactileGraphic", "tactileObject",
            "timingControl", "transcript", "ttsMarkup", "unknown", "unlocked",
        ]
        /// Of `accessibilityHazard`.
        package static let hazards = [
            "flashing", "motionSimulation", "noFlashingHazard", "noMotionSimulationHazard", "noSoundHazard", "none",
            "sound", "unknown", "unknownFlashingHazard", "unknownMotionSimulationHazard", "unknownSoundHazard",
        ]
    }
}

extension Catalog.Contributor: RowReadable {
    /// Reads the columns `id`, `name` and `role`.
    package init(_ columns: inout Columns) throws {
        self.init(id: try columns("id"), name: try columns("name"), role: try columns("role"))
    }
}

extension Catalog.Contributor {
    func put(into json: inout JSONText) {
        json.member("id", id.text)
        json.member("name", name)
        json.member("role", role?.rawValue)
    }
}

extension Catalog.Contributor: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("name", name)
        object.put("role", role?.rawValue)
    }
}
