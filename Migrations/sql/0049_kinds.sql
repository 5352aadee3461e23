-- Films, shows and audiobooks are browsed by their kind. Books are all that are none of those: a scope of theirs would be as large as
-- that of all.

alter table browse_scope
    drop constraint browse_scope_kind,
    add constraint browse_scope_kind
        check (kind in ('all', 'genre', 'subject', 'author', 'publisher', 'language', 'decade', 'kind'));
comment on column browse_scope.kind is 'all, genre, subject, author, publisher, language, decade or kind.';
comment on column browse_scope.key is
    'A genre''s slug, an author''s id, a folded name, a language tag, a decade''s first year, a kind other than book.';
comment on column work.kind is 'Of which medium it is.';
insert into browse_mark (work_id) select id from work where kind <> 'book';
