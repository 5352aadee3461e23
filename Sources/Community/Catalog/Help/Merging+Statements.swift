import Postgres

// One thing turned out to be another, a librarian says: what hangs on the first goes over to the second.

extension Catalog {
    static let mergingStatements: [any Statement.Type] = [
        CompleteWork.self, JoinSubjects.self, JoinSeries.self, JoinGenres.self, JoinImported.self, DropImported.self,
        UnlinkDoubles.self, MergeEdition.self, MoveSources<Edition>.self, MoveProposals.self,
    ]

    /// Fills what the target does not say, with the locks on it.
    struct CompleteWork: Moving {
        static let name = "catalog.complete_work"
        static let sql = """
            update work
               set title = coalesce(work.title, other.title), subtitle = coalesce(work.subtitle, other.subtitle),
                   description = coalesce(work.description, other.description), year = coalesce(work.year, other.year),
                   language = coalesce(work.language, other.language), form = coalesce(work.form, other.form),
                   locked = array(
                       select field
                         from unnest(work.locked) as own (field)
                        union
                       select taken.field
                         from (values ('title', work.title is null), ('subtitle', work.subtitle is null),
                                      ('description', work.description is null), ('year', work.year is null),
                                      ('language', work.language is null), ('form', work.form is null))
                              as taken (field, is_missing)
                        where taken.is_missing
                          and taken.field = any(other.locked)
                        order by 1)
              from work other
             where work.id = $2
               and other.id = $1
            """
        let from: ID<Work>
        let into: ID<Work>
    }

    /// The genres of both, counted there.
    struct JoinGenres: Moving {
        static let name = "catalog.join_genres"
        static let sql = """
            with added as (
                insert into work_genre (work_id, genre_id)
                select $2, genre_id
                  from work_genre
                 where work_id = $1
                    on conflict do nothing
                returning genre_id)
            update genre
               set work_count = work_count + 1
              from added
             where genre.id = added.genre_id
            """
        let from: ID<Work>
        let into: ID<Work>
    }

    /// The subjects of both, up to the number that a work may have.
    struct JoinSubjects: Moving {
        static let name = "catalog.join_subjects"
        static let sql = """
            insert into work_subject (work_id, subject_id)
            select $2, subject_id
              from work_subject
             where work_id = $1
               and not exists (select 1 from work_subject own
                                where own.work_id = $2 and own.subject_id = work_subject.subject_id)
             order by subject_id
             limit greatest(0, \(Limits.Catalog.subjects) - (select count(*) from work_subject own where own.work_id = $2))
            """
        let from: ID<Work>
        let into: ID<Work>
    }

    /// The series of the first, where the target stands in none.
    struct JoinSeries: Moving {
        static let name = "catalog.join_series"
        static let sql = """
            insert into work_series (work_id, place, series_id, position, ordinal)
            select $2, place, series_id, position, ordinal
              from work_series
             where work_id = $1
               and not exists (select 1 from work_series own where own.work_id = $2)
            """
        let from: ID<Work>
        let into: ID<Work>
    }

    /// Imported ratings of both, added up where one source rated both.
    struct JoinImported: Moving {
        static let name = "catalog.join_imported"
        static let sql = """
            insert into imported_rating as own (work_id, source, stars, count)
            select $2, source, stars, count
              from imported_rating
             where work_id = $1
                on conflict (work_id, source) do update
               set stars = array[own.stars[1] + excluded.stars[1], own.stars[2] + excluded.stars[2],
                                 own.stars[3] + excluded.stars[3], own.stars[4] + excluded.stars[4],
                                 own.stars[5] + excluded.stars[5]],
                   count = own.count + excluded.count
            """
        let from: ID<Work>
        let into: ID<Work>
    }

    struct DropImported: OfWork {
        static let name = "catalog.drop_imported"
        static let sql = """
            with dropped as (delete from imported_rating where work_id = $1)
            update work_popularity set imported = 0 where work_id = $1
            """
        let work: ID<Work>
    }

    /// Takes the first author off works that name both.
    struct UnlinkDoubles: Moving {
        static let name = "catalog.unlink_doubles"
        static let sql = """
            delete from work_author
             where author_id = $1
               and exists (select 1 from work_author own where own.work_id = work_author.work_id and own.author_id = $2)
            """
        let from: ID<Author>
        let into: ID<Author>
    }

    /// Also leads editions that were merged into `from` on to `into`.
    struct MergeEdition: Moving {
        static let name = "catalog.merge_edition"
        static let sql = """
            update edition
               set merged_into = $2, withdrawn_at = coalesce(withdrawn_at, now()), version = version + 1
             where id = $1
                or merged_into = $1
            """
        let from: ID<Edition>
        let into: ID<Edition>
    }

    /// Proposals that wait go over to what the thing turned out to be.
    struct MoveProposals: Statement {
        static let name = "catalog.move_proposals"
        static let sql = """
            update catalog_proposal
               set subject_id = $3
             where subject_kind = $1
               and subject_id = $2
               and state = 'open'
            """
        let from: Thing
        let into: Int64
        func bind(to parameters: inout Parameters) {
            parameters.append(from.kind)
            parameters.append(from.id)
            parameters.append(into)
        }
    }
}
