-- Members follow or mute the board of their group. Written by Community/Boards.

alter table group_member
    add column watching text constraint group_member_watching check (watching in ('followed', 'muted'));
comment on column group_member.watching is 'Whether they follow its board (are told of new threads) or mute it; null where neither. Followers are found by the key: a group has 5,000 members at most.';
