import Postgres

extension Gate.Statements {
    /// No row where no book is shown for the work. Outsiders are told of nothing that readers wrote. Index
    /// `board_scope_pkey`.
    struct LookAt: Statement, ForViewer {
        static let sql: SQL<Self> = """
            with gate as materialized (
                select work.id as work, \(Gate.level(viewer: .viewer, work: "work.id")) as level
                  from work
                 where work.id = \(Catalog.resolved("\(\.work)"))
                   and work.title is not null
                   and work.withdrawn_at is null
            )
            select gate.level,
                   exists (select 1 from gate_setting where reader_id = \(\.viewer) and is_off) as is_off,
                   exists (select 1 from reveal where reveal.reader_id = \(\.viewer) and reveal.work_id = gate.work) as is_revealed,
                   entry.position,
                   (select coalesce(sum(posts), 0)::bigint
                      from board_scope
                     where board_scope.work_id = gate.work and board_scope.scope > gate.level and \(\.viewer) >= 0) as ahead,
                   (select board_scope.scope
                      from board_scope
                     where board_scope.work_id = gate.work and board_scope.scope > gate.level and posts > 0 and \(\.viewer) >= 0
                     order by board_scope.scope
                     limit 1) as next
              from gate
              left join shelf_entry entry on entry.reader_id = \(\.viewer) and entry.work_id = gate.work
            """
        let viewer: Viewer, work: ID<Catalog.Work>

        static func decode(_ columns: inout Columns) throws -> Gate.Look {
            let (gate, isOff): (Int, Bool) = (try columns("level"), try columns("is_off"))
            let (isRevealed, position): (Bool, Int?) = (try columns("is_revealed"), try columns("position"))
            let why: Gate.Look.Reason =
                if isOff { .off } else if isRevealed { .revealed } else if gate == Gate.end {
                    .finished
                } else {
                    position == nil ? .nothing : .position
                }
            return Gate.Look(gate: gate, why: why, ahead: try columns("ahead"), next: try columns("next"))
        }
    }
}
