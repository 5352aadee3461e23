-- Who did what in a work or an edition, how long an edition runs, and for whom it is made.

alter table work_author
    add column role text
        constraint work_author_role check (role in (
            'author', 'adapter', 'artist', 'compiler', 'contributor', 'creator', 'editor', 'illustrator', 'photographer',
            'translator', 'author_of_introduction', 'author_of_afterword', 'cover_designer', 'narrator', 'performer', 'singer',
            'voice_actor', 'actor', 'cinematographer', 'composer', 'director', 'presenter', 'producer', 'screenwriter', 'film_editor'));
comment on table work_author is 'Who made a work, in the order of the title page.';
comment on column work_author.role is 'As a relator of MARC is called, in snake_case: director. Null: nobody said; most often the author.';

create table edition_contributor (
    edition_id bigint   not null constraint edition_contributor_edition_id_fkey references edition (id),
    position   smallint not null constraint edition_contributor_position check (position between 1 and 100),
    author_id  bigint   not null constraint edition_contributor_author_id_fkey references author (id),
    role       text     not null constraint edition_contributor_role check (role in (
            'author', 'adapter', 'artist', 'compiler', 'contributor', 'creator', 'editor', 'illustrator', 'photographer',
            'translator', 'author_of_introduction', 'author_of_afterword', 'cover_designer', 'narrator', 'performer', 'singer',
            'voice_actor', 'actor', 'cinematographer', 'composer', 'director', 'presenter', 'producer', 'screenwriter', 'film_editor')),
    primary key (edition_id, position)
);
comment on table edition_contributor is 'Who made an edition what it is, beside who made the work: narrators, translators, illustrators.';
comment on column edition_contributor.edition_id is 'The edition.';
comment on column edition_contributor.position is '1 is first.';
comment on column edition_contributor.author_id is 'The person.';
comment on column edition_contributor.role is 'As a relator of MARC is called, in snake_case: narrator.';
create index edition_contributor_author on edition_contributor (author_id, edition_id);
comment on index edition_contributor_author is 'The editions of a person: their pages after a new name, merging.';

alter table edition
    add column minutes integer constraint edition_minutes check (minutes between 1 and 100000),
    add column access_modes text[] not null default '{}',
    add column accessibility_features text[] not null default '{}',
    add column accessibility_hazards text[] not null default '{}',
    add column accessibility_summary text
        constraint edition_accessibility_summary check (octet_length(accessibility_summary) <= 2000);
comment on column edition.minutes is 'How long it runs. Null: not known, or nothing that runs.';
comment on column edition.access_modes is 'By which senses it is taken in: values of schema.org''s accessMode.';
comment on column edition.accessibility_features is 'What helps to take it in: values of schema.org''s accessibilityFeature.';
comment on column edition.accessibility_hazards is 'What may harm: values of schema.org''s accessibilityHazard.';
comment on column edition.accessibility_summary is 'The same for people. Null: nobody wrote it.';

alter table catalog_proposal
    add column action text not null default 'edit' constraint catalog_proposal_action check (action in ('edit', 'create'));
comment on column catalog_proposal.action is 'edit: the subject''s fields are to change. create: the subject, a book, is to get an edition.';
comment on table catalog_proposal is 'What members propose, for librarians to decide: corrections, covers and editions.';

-- Stored pages do not have the new members.
update work set page = null where page is not null;
