-- Books that are read by the same readers, and books that readers do not want suggested. Written by Community/Suggestions.

create table related_generation (
    id        bigint      generated always as identity primary key,
    as_of     timestamptz not null,
    made_at   timestamptz,
    readers   integer     not null default 0 constraint related_generation_readers check (readers >= 0),
    row_count bigint      not null default 0 constraint related_generation_rows check (row_count >= 0)
);
comment on table related_generation is
    'One making of related_work, begun or whole. The one that is shown stays. A run that was killed leaves another, which the '
    'next run takes away.';
comment on column related_generation.id is 'Ascending in time.';
comment on column related_generation.as_of is 'When the shelves were read.';
comment on column related_generation.made_at is 'When it was whole, by the database''s clock; null until then.';
comment on column related_generation.readers is 'Readers whose shelves it is made of; 0 until it is whole.';
comment on column related_generation.row_count is 'Its rows in related_work; 0 until it is whole.';

create table related_current (
    is_one        boolean primary key default true constraint related_current_one check (is_one),
    generation_id bigint  not null constraint related_current_generation_fkey references related_generation (id)
);
comment on table related_current is 'Which generation is shown: all lists are swapped by changing this one row.';
comment on column related_current.is_one is 'True: there is one row at most.';
comment on column related_current.generation_id is 'The generation that is shown.';

-- No references: a generation may have millions of rows, and asking for each whether there is such a work would double the time
-- of making it. A work that was merged or removed since is left out where rows are read.
create table related_work (
    generation_id bigint   not null,
    work_id       bigint   not null,
    other_id      bigint   not null,
    score         real     not null constraint related_work_score check (score > 0),
    readers       integer  not null constraint related_work_readers check (readers >= 2),
    rank          smallint not null constraint related_work_rank check (rank between 1 and 100),
    primary key (generation_id, work_id, rank),
    constraint related_work_not_itself check (work_id <> other_id)
);
comment on table related_work is 'For each work those that the same readers read, at most 100, the most alike first.';
comment on column related_work.generation_id is 'The making that it is part of.';
comment on column related_work.work_id is 'The work; it may be merged or gone since.';
comment on column related_work.other_id is 'A work that is read by the same readers; likewise.';
comment on column related_work.score is 'How much the two are alike: the cosine that the page of the domain defines.';
comment on column related_work.readers is 'Readers who have both on shelves that count. Never told below 3.';
comment on column related_work.rank is 'From 1 on, without a gap.';

create table dismissed_book (
    reader_id bigint      not null constraint dismissed_book_reader_fkey references account (id) on delete cascade,
    work_id   bigint      not null constraint dismissed_book_work_fkey references work (id) on delete cascade,
    at        timestamptz not null,
    primary key (reader_id, work_id)
);
comment on table dismissed_book is 'Books that are not suggested to a reader any more.';
comment on column dismissed_book.reader_id is 'Who does not want the suggestion.';
comment on column dismissed_book.work_id is 'The book.';
comment on column dismissed_book.at is 'When it was dismissed.';
create index dismissed_book_of_work on dismissed_book (work_id);
comment on index dismissed_book_of_work is 'Merging works. Serves the foreign key.';
