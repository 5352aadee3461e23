import Postgres

/// The schema, as numbered files of plain SQL that are compiled into the program. `README.md` beside this file says how to add one.
package enum Migrations {
    /// In the order of their numbers. A test compares this list with the folder `sql`.
    package static let all: [Migration] = [
        Migration(name: "0001_house", bytes: PackageResources._001_house_sql),
        Migration(name: "0002_jobs", bytes: PackageResources._002_jobs_sql),
        Migration(name: "0003_event_log", bytes: PackageResources._003_event_log_sql),
        Migration(name: "0004_accounts", bytes: PackageResources._004_accounts_sql),
        Migration(name: "0005_friends", bytes: PackageResources._005_friends_sql),
        Migration(name: "0006_catalog", bytes: PackageResources._006_catalog_sql),
        Migration(name: "0007_reviews", bytes: PackageResources._007_reviews_sql),
        Migration(name: "0008_web", bytes: PackageResources._008_web_sql),
        Migration(name: "0009_library", bytes: PackageResources._009_library_sql),
        Migration(name: "0010_pictures", bytes: PackageResources._010_pictures_sql),
        Migration(name: "0011_search", bytes: PackageResources._011_search_sql),
        Migration(name: "0012_catalog_help", bytes: PackageResources._012_catalog_help_sql),
        Migration(name: "0013_sources", bytes: PackageResources._013_sources_sql),
        Migration(name: "0014_reading", bytes: PackageResources._014_reading_sql),
        Migration(name: "0015_lending", bytes: PackageResources._015_lending_sql),
        Migration(name: "0016_profile", bytes: PackageResources._016_profile_sql),
        Migration(name: "0017_leaving", bytes: PackageResources._017_leaving_sql),
        Migration(name: "0018_forgotten_helpers", bytes: PackageResources._018_forgotten_helpers_sql),
        Migration(name: "0019_bulk_indexing", bytes: PackageResources._019_bulk_indexing_sql),
        Migration(name: "0020_boards", bytes: PackageResources._020_boards_sql),
        Migration(name: "0021_gate", bytes: PackageResources._021_gate_sql),
        Migration(name: "0022_messages", bytes: PackageResources._022_messages_sql),
        Migration(name: "0023_follows", bytes: PackageResources._023_follows_sql),
        Migration(name: "0024_groups", bytes: PackageResources._024_groups_sql),
        Migration(name: "0025_notifications", bytes: PackageResources._025_notifications_sql),
        Migration(name: "0026_review_talk", bytes: PackageResources._026_review_talk_sql),
        Migration(name: "0027_board_search", bytes: PackageResources._027_board_search_sql),
        Migration(name: "0028_message_cards", bytes: PackageResources._028_message_cards_sql),
        Migration(name: "0029_group_feeds", bytes: PackageResources._029_group_feeds_sql),
        Migration(
            name: "0030_told_of_reviews_and_groups", bytes: PackageResources._030_told_of_reviews_and_groups_sql),
        Migration(name: "0031_openings", bytes: PackageResources._031_openings_sql),
        Migration(name: "0032_board_reading", bytes: PackageResources._032_board_reading_sql),
        Migration(name: "0033_kept_answers", bytes: PackageResources._033_kept_answers_sql),
        Migration(name: "0034_feed_authors", bytes: PackageResources._034_feed_authors_sql),
        Migration(name: "0035_post_works", bytes: PackageResources._035_post_works_sql),
        Migration(name: "0036_fill_post_works", bytes: PackageResources._036_fill_post_works_sql),
        Migration(name: "0037_watched_group_boards", bytes: PackageResources._037_watched_group_boards_sql),
        Migration(name: "0038_filling_reviews", bytes: PackageResources._038_filling_reviews_sql),
        Migration(name: "0039_fill_filling_reviews", bytes: PackageResources._039_fill_filling_reviews_sql),
        Migration(name: "0040_suspect_jobs", bytes: PackageResources._040_suspect_jobs_sql),
    ]
}
