extension Moderation: Domain {}
