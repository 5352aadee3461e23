-- Whether readers may be found by the books that they rate alike.

alter table privacy
    add column taste smallint not null default 0 constraint privacy_taste_level check (taste between 0 and 3);
comment on column privacy.taste is
    'Who may be told that they rate books as this reader does; from members on, those who allow it themselves.';
