-- Who leaves is forgotten as the one who decided, too.

create index catalog_revision_by_actor on catalog_revision (actor) where actor like 'account:%';
create index catalog_proposal_by_decider on catalog_proposal (decided_by) where decided_by like 'account:%';

comment on index catalog_revision_by_actor is 'What somebody who leaves decided (ForgetDecider).';
comment on index catalog_proposal_by_decider is 'The same among proposals.';
comment on column catalog_revision.actor is 'Who decided it: account:42, account for somebody who has left, cli:NAME, or import:ol for a redirect in a source''s dump.';
comment on column catalog_proposal.decided_by is 'Who decided: account:42, account for somebody who has left, cli:NAME.';

update catalog_revision
   set actor = 'account'
  from account
 where catalog_revision.actor = 'account:' || account.id
   and account.state = 'deleted';
update catalog_proposal
   set decided_by = 'account'
  from account
 where catalog_proposal.decided_by = 'account:' || account.id
   and account.state = 'deleted';
