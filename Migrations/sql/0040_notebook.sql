-- The notebook: what readers note about a book, in themes and folders. Written by Community/Notebook.

create table notebook (
    reader_id  bigint      not null constraint notebook_reader_fkey references account (id),
    work_id    bigint      not null constraint notebook_work_fkey references work (id),
    notes      integer     not null default 0 constraint notebook_notes check (notes >= 0),
    themes     integer     not null default 0 constraint notebook_themes check (themes >= 0),
    folders    integer     not null default 0 constraint notebook_folders check (folders >= 0),
    changed_at timestamptz not null,
    primary key (reader_id, work_id)
);
comment on table notebook is
    'What one reader keeps about one book, counted exactly at every commit; `commonplace check` recounts it. It stays when the book '
    'leaves every shelf.';
comment on column notebook.reader_id is 'Whose.';
comment on column notebook.work_id is 'About which book.';
comment on column notebook.notes is 'Rows of note.';
comment on column notebook.themes is 'Rows of theme.';
comment on column notebook.folders is 'Rows of note_folder.';
comment on column notebook.changed_at is 'When any of it last changed: the order of notebooks.';
create index notebook_changed on notebook (reader_id, changed_at desc, work_id desc)
    where notes > 0 or themes > 0 or folders > 0;
comment on index notebook_changed is 'The books that a reader keeps something about, the one changed last first.';
create index notebook_of_work on notebook (work_id);
comment on index notebook_of_work is 'Whose notebooks are about a work; merging works.';

create table note_folder (
    id         bigint      primary key,
    reader_id  bigint      not null,
    work_id    bigint      not null,
    parent_id  bigint      constraint note_folder_parent_fkey references note_folder (id),
    name       text        not null constraint note_folder_name_length check (octet_length(name) between 1 and 200),
    name_key   text        collate "C" not null,
    notes      integer     not null default 0 constraint note_folder_notes check (notes >= 0),
    folders    integer     not null default 0 constraint note_folder_folders check (folders >= 0),
    version    integer     not null default 1,
    created_at timestamptz not null,
    changed_at timestamptz not null,
    constraint note_folder_notebook_fkey foreign key (reader_id, work_id) references notebook (reader_id, work_id),
    constraint note_folder_elsewhere check (parent_id <> id)
);
comment on table note_folder is
    'A folder of notes about one book. Folders stand in folders, eight deep; writers of one reader take turns, so that there is no circle.';
comment on column note_folder.id is 'Made by the application, ascending in time.';
comment on column note_folder.reader_id is 'Whose.';
comment on column note_folder.work_id is 'About which book: that of the folder that it stands in.';
comment on column note_folder.parent_id is 'The folder that it stands in; null: in none.';
comment on column note_folder.name is 'At most 200 bytes.';
comment on column note_folder.name_key is 'As theme.name_key: orders folders. Several may have one name.';
comment on column note_folder.notes is 'Notes that stand in it, not in a folder within; `commonplace check` recounts it.';
comment on column note_folder.folders is 'Folders that stand in it; likewise.';
comment on column note_folder.version is 'Rises by one with every change of its name or place.';
comment on column note_folder.created_at is 'When it was made.';
comment on column note_folder.changed_at is 'When its name or place last changed.';
create index note_folder_in_book on note_folder (reader_id, work_id, name_key, id);
comment on index note_folder_in_book is 'The folders of a notebook by name.';
create index note_folder_within on note_folder (parent_id, name_key, id) where parent_id is not null;
comment on index note_folder_within is 'The folders in a folder.';
create index note_folder_outside on note_folder (reader_id, work_id, name_key, id) where parent_id is null;
comment on index note_folder_outside is 'The folders that stand in no folder.';
create index note_folder_of_work on note_folder (work_id);
comment on index note_folder_of_work is 'Merging works.';

create table theme (
    id         bigint      primary key,
    reader_id  bigint      not null,
    work_id    bigint      not null,
    name       text        not null constraint theme_name_length check (octet_length(name) between 1 and 200),
    name_key   text        collate "C" not null,
    color      text        constraint theme_color check (color ~ '^#[0-9a-f]{6}$'),
    notes      integer     not null default 0 constraint theme_notes check (notes >= 0),
    version    integer     not null default 1,
    created_at timestamptz not null,
    changed_at timestamptz not null,
    constraint theme_notebook_fkey foreign key (reader_id, work_id) references notebook (reader_id, work_id),
    constraint theme_named_once unique (reader_id, work_id, name_key)
);
comment on table theme is 'What notes about one book are about, in one reader''s words.';
comment on column theme.id is 'Made by the application, ascending in time.';
comment on column theme.reader_id is 'Whose.';
comment on column theme.work_id is 'About which book.';
comment on column theme.name is 'At most 200 bytes.';
comment on column theme.name_key is 'The name folded by Normaliser, or as it is where nothing is left: one theme of a name. Orders themes.';
comment on column theme.color is 'As #rrggbb; null: none.';
comment on column theme.notes is 'Rows of note_theme; `commonplace check` recounts it.';
comment on column theme.version is 'Rises by one with every change of its name or color.';
comment on column theme.created_at is 'When it was made.';
comment on column theme.changed_at is 'When its name or color last changed.';
create index theme_of_work on theme (work_id);
comment on index theme_of_work is 'Merging works.';

create table note (
    id           bigint      primary key,
    reader_id    bigint      not null,
    work_id      bigint      not null,
    folder_id    bigint      constraint note_folder_fkey references note_folder (id),
    title        text        constraint note_title_length check (octet_length(title) between 1 and 200),
    position     smallint    constraint note_position check (position between 0 and 10000),
    page         integer     constraint note_page check (page between 0 and 100000),
    visibility   smallint    not null constraint note_visibility_level check (visibility between 0 and 3),
    level_is_own boolean     not null,
    hidden_at    timestamptz,
    hidden_level smallint    constraint note_hidden_level check (hidden_level between 0 and 3),
    scope        smallint    not null constraint note_scope check (scope between 0 and 10000),
    excerpt      text        constraint note_excerpt_length check (octet_length(excerpt) between 1 and 1000),
    items        integer     not null default 0 constraint note_items check (items >= 0),
    reactions    integer     not null default 0 constraint note_reactions check (reactions >= 0),
    version      integer     not null default 1,
    origin       bigint,
    created_at   timestamptz not null,
    changed_at   timestamptz not null,
    constraint note_notebook_fkey foreign key (reader_id, work_id) references notebook (reader_id, work_id),
    constraint note_hidden check ((hidden_at is null) = (hidden_level is null) and (hidden_at is null or visibility = 0))
);
comment on table note is 'A note of one reader about one book: a title, a place, and items in an order.';
comment on column note.id is 'Made by the application, ascending in time.';
comment on column note.reader_id is 'Whose.';
comment on column note.work_id is 'About which book.';
comment on column note.folder_id is 'The folder that it stands in; null: in none.';
comment on column note.title is 'At most 200 bytes; null: none.';
comment on column note.position is 'The place in the book that it is about, in ten-thousandths; null: none was said.';
comment on column note.page is 'The page that the reader named with it; null: none.';
comment on column note.visibility is 'Who may see it, as in review.visibility. 0 while a moderator hides it.';
comment on column note.level_is_own is 'Whether the reader chose the level for this note; else it follows privacy.notes.';
comment on column note.hidden_at is 'Since when a moderator hides it: its reader alone sees it. Null: nobody does.';
comment on column note.hidden_level is 'The visibility that it comes back with; null while it is not hidden.';
comment on column note.scope is
    'How much of the book it gives away, as post.scope: the furthest of its own place and those of its items, else what is usual.';
comment on column note.excerpt is
    'How its first text or quote begins, in one line without marks and inline spoilers; null: it has none. Kept by the writes of items.';
comment on column note.items is 'Rows of note_item; `commonplace check` recounts it.';
comment on column note.reactions is 'Sum of note_reaction_tally; likewise.';
comment on column note.version is 'Rises by one with every change, of its items, themes and folder, too.';
comment on column note.origin is
    'The id of the note in the file that it came in with: it comes in once. Null: it was written here.';
comment on column note.created_at is 'When it was made; of what came in, what its file says.';
comment on column note.changed_at is 'When it last changed.';
create index note_in_book on note (reader_id, work_id, id desc);
comment on index note_in_book is 'A reader''s notes about a book, newest first.';
create index note_in_folder on note (folder_id, id desc) where folder_id is not null;
comment on index note_in_folder is 'The notes in a folder, newest first.';
create index note_outside on note (reader_id, work_id, id desc) where folder_id is null;
comment on index note_outside is 'The notes about a book that stand in no folder, newest first.';
create index note_shown on note (work_id, id desc) where visibility > 0;
comment on index note_shown is 'The notes about a book that others may see, newest first.';
create index note_shown_of_reader on note (reader_id, id desc) where visibility > 0;
comment on index note_shown_of_reader is 'The notes of a reader that others may see, newest first.';
create unique index note_came_in_once on note (reader_id, origin) where origin is not null;
comment on index note_came_in_once is 'The notes that came in with a file: each once.';
create index note_of_work on note (work_id);
comment on index note_of_work is 'Merging works.';

create table note_item (
    id         bigint      primary key,
    note_id    bigint      not null constraint note_item_note_fkey references note (id) on delete cascade,
    place      bigint      not null,
    kind       text        not null constraint note_item_kind check (kind in ('text', 'quote', 'picture')),
    body       text        constraint note_item_body_length check (octet_length(body) between 1 and 20000),
    position   smallint    constraint note_item_position check (position between 0 and 10000),
    page       integer     constraint note_item_page check (page between 0 and 100000),
    photo_id   bigint      constraint note_item_photo_fkey references photo (id) on delete set null,
    created_at timestamptz not null,
    changed_at timestamptz not null,
    constraint note_item_whole check ((kind = 'picture') = (body is null) and (photo_id is null or kind = 'picture'))
);
comment on table note_item is 'A part of a note.';
comment on column note_item.id is 'Made by the application, ascending in time.';
comment on column note_item.note_id is 'The note.';
comment on column note_item.place is
    'Orders the items. Only the order means anything: there are gaps, so that one moves without touching the others.';
comment on column note_item.kind is 'text (Markdown), quote (words of the book) or picture (a photograph).';
comment on column note_item.body is 'At most 20,000 bytes; of a quote 2,000 characters of plain text. Null for a picture.';
comment on column note_item.position is 'Where in the book a quote stands, in ten-thousandths; null where nobody said.';
comment on column note_item.page is 'The page that the reader named with it; null: none.';
comment on column note_item.photo_id is 'The photograph, one of the same reader and book; null for text and quotes, and for a picture that a moderator took away for good.';
comment on column note_item.created_at is 'When it came into the note.';
comment on column note_item.changed_at is 'When it last changed.';
create index note_item_in_order on note_item (note_id, place, id);
comment on index note_item_in_order is 'The items of a note in their order.';
create index note_item_of_photo on note_item (photo_id) where photo_id is not null;
comment on index note_item_of_photo is 'The notes that a photograph stands in.';

create table note_theme (
    note_id  bigint not null constraint note_theme_note_fkey references note (id) on delete cascade,
    theme_id bigint not null constraint note_theme_theme_fkey references theme (id) on delete cascade,
    primary key (note_id, theme_id)
);
comment on table note_theme is 'That a note is about a theme, of the same reader and book.';
comment on column note_theme.note_id is 'The note.';
comment on column note_theme.theme_id is 'The theme.';
create index note_theme_of_theme on note_theme (theme_id, note_id desc);
comment on index note_theme_of_theme is 'The notes of a theme, newest first.';

create table note_reaction (
    note_id   bigint      not null constraint note_reaction_note_fkey references note (id) on delete cascade,
    reader_id bigint      not null constraint note_reaction_reader_fkey references account (id),
    name      text        not null constraint note_reaction_name 
              check (name in ('like', 'love', 'laugh', 'wow', 'sad', 'think')),
    at        timestamptz not null,
    primary key (note_id, reader_id, name)
);
comment on table note_reaction is 'What readers say to notes without words.';
comment on column note_reaction.note_id is 'The note.';
comment on column note_reaction.reader_id is 'Who reacted.';
comment on column note_reaction.name is 'One of six.';
comment on column note_reaction.at is 'When.';
create index note_reaction_of_reader on note_reaction (reader_id, note_id);
comment on index note_reaction_of_reader is 'The end of an account.';

create table note_reaction_tally (
    note_id bigint  not null constraint note_reaction_tally_note_fkey references note (id) on delete cascade,
    name    text    not null,
    n       integer not null constraint note_reaction_tally_n check (n >= 0),
    primary key (note_id, name)
);
comment on table note_reaction_tally is 'How many gave each reaction to a note; `commonplace check` recounts it.';
comment on column note_reaction_tally.note_id is 'The note.';
comment on column note_reaction_tally.name is 'The reaction.';
comment on column note_reaction_tally.n is 'Readers.';

alter table message
    add column note_id bigint,
    drop constraint message_one_card,
    add constraint message_one_card
        check (num_nonnulls(work_id, post_id, note_id) <= 1 and (num_nonnulls(post_id, note_id) = 0 or body is not null));
comment on column message.note_id is
    'The note that it shows as a card, to each of the two as they may see it. No foreign key: a card of a note that is gone shows none.';
