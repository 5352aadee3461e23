-- The server's reviews fill a feed with a few of each author at most. Written by Community/Feed.

create index activity_reviews_of_reader on activity (reader_id, at desc, id desc)
    where kind = 'review.posted' and undone_at is null;
comment on index activity_reviews_of_reader is 'The reviews of one author, newest first: whether a feed that others'' reviews fill has enough of them.';
