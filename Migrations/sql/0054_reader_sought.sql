-- no transaction
-- How readers are found by username or name, for Community/Profiles.

-- Marks that are no letter of any script are blanks: `_` and `%` among them, so that no word means anything to `like`. It is not put
-- into queries by the planner, which would take each of its parts for cheap and read all accounts.
create or replace function reader_sought(said text) returns text
    language plpgsql immutable parallel safe cost 1000
as $$
begin
    return ' ' || lower(regexp_replace(
        regexp_replace(normalize(said, nfkd), '[\u0027\u0060\u02BC\u0300-\u036F\u2019]+', '', 'g'),
        '[\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00BF\u2000-\u206F\u3000-\u303F]+', ' ', 'g'));
end
$$;
comment on function reader_sought is
    'A text as readers are found by it: words in lower case without accents and apostrophes, a blank before each.';

drop index concurrently if exists account_sought;
create index concurrently account_sought
    on account using gin (reader_sought(username_folded || ' ' || coalesce(name, '')) gin_trgm_ops)
    where reach > 0;
comment on index account_sought is 'Readers with a word in username or name that begins with what was asked for.';
