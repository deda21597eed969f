import type { DatabaseSync } from 'node:sqlite'
import type { Agent, Counters, SessionSummary, Timeline, ToolStats } from '@panoptes/schema'
import type {
  AgentQuery,
  At,
  EventFilter,
  EventPage,
  EventRange,
  LedgerInfo,
  Marks,
  Moment,
  ReplayTexts,
  SessionQuery,
  TimelineQuery,
} from '../port.ts'
import {
  type AgentsRow,
  ALIVE,
  COUNTERS_KEY,
  rowKey,
  shownAgent,
  shownTool,
  type ToolRow,
  zeroCounters,
} from '../projections/index.ts'
import { agentDocs } from './agent-docs.ts'
import { readEvents } from './event-reader.ts'
import { numberOf, versionOf } from './migrations.ts'
import { replayAt } from './replay.ts'
import { rowQueries } from './row-queries.ts'
import { Statements } from './statements.ts'
import { timelineOf } from './timeline.ts'

const AGENTS_A_PART = 250

type Place = { readonly source: string; readonly session: string }

/** Typed queries over one read-only connection. */
export class Reader {
  readonly #db: DatabaseSync
  readonly #file: string
  readonly #statements: Statements

  constructor(db: DatabaseSync, file: string) {
    this.#db = db
    this.#file = file
    this.#statements = new Statements(db)
  }

  read(range: EventRange, filter: EventFilter): EventPage {
    return readEvents(this.#statements, range, filter)
  }

  counters(): At<Counters> {
    return this.#snapshot(() => {
      const row = this.#statements
        .of("SELECT doc FROM projection_rows WHERE name = 'counters' AND key = ?")
        .get(COUNTERS_KEY)
      return row === undefined ? zeroCounters() : JSON.parse(String(row.doc))
    })
  }

  /** Whole parts of a long list go ahead by `part`; the answer has the rest. */
  agents(query: AgentQuery, part: (agents: readonly Agent[]) => void): At<readonly Agent[]> {
    return this.#snapshot(() => {
      let found: Agent[] = []
      let count = 0
      for (const doc of agentDocs(this.#statements, query)) {
        const agent = shownAgent(JSON.parse(doc) as AgentsRow)
        if (agent === undefined) continue
        if (query.source !== undefined && agent.source !== query.source) continue
        if (query.states !== undefined && !query.states.includes(agent.state)) continue
        found.push(agent)
        count += 1
        if (count >= query.limit) break
        if (found.length < AGENTS_A_PART) continue
        part(found)
        found = []
      }
      return found
    })
  }

  replayAt(moment: Moment): ReplayTexts {
    return this.#inTransaction(() => replayAt(this.#statements, moment))
  }

  timeline(query: TimelineQuery): Timeline {
    return this.#inTransaction(() => timelineOf(this.#statements, query))
  }

  tools(): At<readonly ToolStats[]> {
    return this.#snapshot(() =>
      this.#statements
        .of("SELECT doc FROM projection_rows WHERE name = 'tools' ORDER BY key")
        .all()
        .map((row) => shownTool(JSON.parse(String(row.doc)) as ToolRow)),
    )
  }

  marks(names: readonly string[]): Marks {
    const find = this.#statements.of('SELECT value FROM marks WHERE name = ?')
    return Object.fromEntries(
      names.flatMap((name) => {
        const row = find.get(name)
        return row === undefined ? [] : [[name, String(row.value)]]
      }),
    )
  }

  aliveCount(): number {
    const row = this.#statements.of(rowQueries.countByTag).get(ALIVE)
    return Number(row?.alive)
  }

  sessions({ of, session, limit }: SessionQuery): At<readonly SessionSummary[]> {
    const one = this.#statements.of("SELECT doc FROM projection_rows WHERE name = 'sessions' AND key = ?")
    return this.#snapshot(() => {
      const rows =
        of !== undefined
          ? of.slice(0, limit).flatMap(({ source, session: id }) => one.all(rowKey(source, id)))
          : session !== undefined
            ? this.#statements.of(rowQueries.sessionsByRef).all(session, limit)
            : this.#statements.of(rowQueries.newestSessions).all(limit)
      return rows.map((row) => JSON.parse(String(row.doc)))
    })
  }

  findAgents(ids: readonly string[]): [string, Place][] {
    const newest = this.#statements.of(rowQueries.newestByRef)
    return ids.flatMap((id): [string, Place][] => {
      const row = newest.get('agents', id) ?? newest.get('sessions', id)
      if (row === undefined) return []
      const { source, session_id } = JSON.parse(String(row.doc)) as { source: string; session_id: string }
      return [[id, { source, session: session_id }]]
    })
  }

  info(): LedgerInfo {
    const ts = (order: 'ASC' | 'DESC'): number | null => {
      const row = this.#statements
        .of(`SELECT ts FROM events WHERE ts >= 0 ORDER BY ts ${order} LIMIT 1`)
        .get()
      return row === undefined ? null : Number(row.ts)
    }
    return {
      engine: 'sqlite',
      path: this.#file,
      bytes: numberOf(this.#db, 'PRAGMA page_count') * numberOf(this.#db, 'PRAGMA page_size'),
      schemaVersion: versionOf(this.#db),
      head: { first: this.#statements.base() + 1, last: this.#statements.last() },
      forgotten: Number(
        this.#statements.of('SELECT count(*) AS count FROM events WHERE ts < 0').get()?.count,
      ),
      firstTs: ts('ASC'),
      lastTs: ts('DESC'),
    }
  }

  #snapshot<T>(query: () => T): At<T> {
    return this.#inTransaction(() => ({ seq: this.#statements.last(), value: query() }))
  }

  #inTransaction<T>(query: () => T): T {
    this.#db.exec('BEGIN')
    try {
      return query()
    } finally {
      this.#db.exec('COMMIT')
    }
  }
}
