-- Searches are remembered whole: each field and filter, and not their free text alone.

alter table recent_search
    alter column query drop not null,
    add column fields text[] not null default '{}'
        constraint recent_search_fields_length check (cardinality(fields) <= 20),
    add constraint recent_search_asks check (query is not null or cardinality(fields) > 0);
comment on column recent_search.folded is 'All of it folded, bounded to 2,000 bytes: the same search is kept once.';
comment on column recent_search.query is 'Its free text, as it was typed the last time; null where there is none.';
comment on column recent_search.fields is 'Its other parameters, each `name=value` as it was typed the last time.';
