import Postgres

/// The schema, as numbered files of plain SQL that are compiled into the program. `README.md` beside this file says how to add one.
package enum Migrations {
    /// In the order of their numbers. A test compares this list with the folder `sql`.
    package static let all: [Migration] = [
        Migration(name: "0001_house", bytes: PackageResources._001_house_sql),
        Migration(name: "0002_jobs", bytes: PackageResources._002_jobs_sql),
        Migration(name: "0003_event_log", bytes: PackageResources._003_event_log_sql),
        Migration(name: "0004_accounts", bytes: PackageResources._004_accounts_sql),
        Migration(name: "0005_moderation", bytes: PackageResources._005_moderation_sql),
        Migration(name: "0006_profiles", bytes: PackageResources._006_profiles_sql),
        Migration(name: "0007_friends", bytes: PackageResources._007_friends_sql),
        Migration(name: "0008_catalog", bytes: PackageResources._008_catalog_sql),
        Migration(name: "0009_browse", bytes: PackageResources._009_browse_sql),
        Migration(name: "0010_search", bytes: PackageResources._010_search_sql),
        Migration(name: "0011_media", bytes: PackageResources._011_media_sql),
        Migration(name: "0012_catalog_help", bytes: PackageResources._012_catalog_help_sql),
        Migration(name: "0013_sources", bytes: PackageResources._013_sources_sql),
        Migration(name: "0014_reviews", bytes: PackageResources._014_reviews_sql),
        Migration(name: "0015_library", bytes: PackageResources._015_library_sql),
        Migration(name: "0016_praise", bytes: PackageResources._016_praise_sql),
        Migration(name: "0017_places", bytes: PackageResources._017_places_sql),
        Migration(name: "0018_lending", bytes: PackageResources._018_lending_sql),
        Migration(name: "0019_groups", bytes: PackageResources._019_groups_sql),
        Migration(name: "0020_boards", bytes: PackageResources._020_boards_sql),
        Migration(name: "0021_gate", bytes: PackageResources._021_gate_sql),
        Migration(name: "0022_messages", bytes: PackageResources._022_messages_sql),
        Migration(name: "0023_follows", bytes: PackageResources._023_follows_sql),
        Migration(name: "0024_notifications", bytes: PackageResources._024_notifications_sql),
        Migration(name: "0025_feed", bytes: PackageResources._025_feed_sql),
        Migration(name: "0026_ranking", bytes: PackageResources._026_ranking_sql),
        Migration(name: "0027_operations", bytes: PackageResources._027_operations_sql),
        Migration(name: "0028_leaving", bytes: PackageResources._028_leaving_sql),
        Migration(name: "0029_web", bytes: PackageResources._029_web_sql),
        Migration(name: "0030_reports", bytes: PackageResources._030_reports_sql),
        Migration(name: "0031_acts", bytes: PackageResources._031_acts_sql),
        Migration(name: "0032_hiding", bytes: PackageResources._032_hiding_sql),
        Migration(name: "0033_told", bytes: PackageResources._033_told_sql),
        Migration(name: "0034_looking", bytes: PackageResources._034_looking_sql),
        Migration(name: "0035_rating_hold", bytes: PackageResources._035_rating_hold_sql),
        Migration(name: "0036_board_moderator", bytes: PackageResources._036_board_moderator_sql),
    ]
}
