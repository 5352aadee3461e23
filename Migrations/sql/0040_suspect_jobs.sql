-- Jobs whose worker was lost are found apart from the others, because a worker runs one of them at a time.

-- Serves jobs.claim: the suspects of one queue that are due, those that are due longest first. Next to nothing is in it.
create index job_suspect on job (queue, due_at, id) where state = 'ready' and lease_losses > 0;

comment on column job.lease_losses is
    'How often a worker vanished while running it. From the first on it runs apart from others that have any, before the third run an hour '
    'passes, and at the third it is dead, because it may be what kills workers.';
