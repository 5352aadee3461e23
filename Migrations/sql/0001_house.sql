-- What the house itself needs, before any domain: who this database is, and which process makes which identifiers.

create table server (
    id         smallint    primary key default 1 constraint server_is_one check (id = 1),
    epoch      bigint      not null constraint server_epoch_positive check (epoch > 0),
    created_at timestamptz not null default now()
);
comment on table server is 'One row: what is true of the whole database.';
comment on column server.id is 'Always 1.';
comment on column server.epoch is
    'Random, drawn when the database is made and again when a backup is restored into it. A position in the stream of another '
    'epoch is void.';
comment on column server.created_at is 'When the database was made.';
-- 60 random bits: the 4 bits that a version-4 UUID fixes are hashed away.
insert into server (epoch) values (('x' || substr(md5(gen_random_uuid()::text), 1, 15))::bit(60)::bigint);

create table node_lease (
    node       smallint    primary key constraint node_lease_node check (node between 0 and 1023),
    holder     text        not null,
    expires_at timestamptz not null
);
comment on table node_lease is 'Which process may make identifiers with which node number; a lease that has expired is free.';
comment on column node_lease.node is 'The ten bits of node in an identifier.';
comment on column node_lease.holder is 'Random text that one process drew at its start.';
comment on column node_lease.expires_at is
    'By the database''s clock. The holder renews well before, and makes no identifier after.';
