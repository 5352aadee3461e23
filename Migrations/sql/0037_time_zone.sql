-- In which time zone a reader's days begin.

alter table account add column time_zone text
    constraint account_time_zone check (octet_length(time_zone) between 1 and 64);
comment on column account.time_zone is
    'A name of the IANA database such as Europe/Berlin: where a reader''s days begin. Null: UTC.';
