import Postgres

extension Moderation: Domain {

}
