import Postgres

extension Media {
    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "tallies",
            "What each reader has stored is the sum of the reader's pictures that are not withheld, photographs by themselves.",
            """
            select 'account ' || coalesce(media_tally.account_id, owned.owner_id) || ': stored '
                   || coalesce(row(media_tally.bytes, media_tally.pictures, media_tally.photo_bytes, media_tally.photos)::text, 'nothing')
                   || ', counted '
                   || coalesce(row(owned.bytes, owned.pictures, owned.photo_bytes, owned.photos)::text, 'nothing')
              from media_tally
              full join (select owner_id, coalesce(sum(size) filter (where kind <> 'photo'), 0)::bigint as bytes,
                                (count(*) filter (where kind <> 'photo'))::integer as pictures,
                                coalesce(sum(size) filter (where kind = 'photo'), 0)::bigint as photo_bytes,
                                (count(*) filter (where kind = 'photo'))::integer as photos
                           from picture
                          where owner_id is not null
                            and hidden_at is null
                          group by owner_id) owned on owned.owner_id = media_tally.account_id
             where row(coalesce(media_tally.bytes, 0), coalesce(media_tally.pictures, 0), coalesce(media_tally.photo_bytes, 0),
                       coalesce(media_tally.photos, 0))
                   is distinct from row(coalesce(owned.bytes, 0), coalesce(owned.pictures, 0), coalesce(owned.photo_bytes, 0),
                                        coalesce(owned.photos, 0))
            """),
        Recount(
            "sizes", "The bytes of a picture are those of its files.",
            """
            select 'picture ' || picture.id || ': stored ' || picture.size || ' bytes, counted '
                   || coalesce(sum(file.size), 0)
              from picture
              left join picture_variant variant on variant.picture_id = picture.id
              left join media_file file on file.hash = variant.hash
             group by picture.id, picture.size
            having picture.size <> coalesce(sum(file.size), 0)
            """),
        Recount(
            "missing", "No file of a picture is missing, as far as the last sweep saw.",
            """
            select 'file ' || encode(hash, 'hex') || ' is missing since ' || missing_at
              from media_file
             where missing_at is not null
            """),
        Recount(
            "remains", "Deleted accounts have no pictures.",
            """
            select 'account ' || account.id || ' is deleted and has pictures'
              from account
             where account.state = 'deleted'
               and (exists (select 1 from picture where owner_id = account.id)
                    or exists (select 1 from picture where added_by = account.id)
                    or exists (select 1 from media_tally where account_id = account.id))
            """),
    ]
}
