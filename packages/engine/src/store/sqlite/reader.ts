import type { DatabaseSync } from 'node:sqlite'
import type { Agent, Counters, SessionSummary, Timeline, ToolStats } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import type {
  AgentQuery,
  AgentRef,
  At,
  EventFilter,
  EventPage,
  EventRange,
  Marks,
  Moment,
  ReplayTexts,
  SessionQuery,
  StoreInfo,
  TimelineQuery,
} from '../port.ts'
import {
  type AgentsRow,
  ALIVE,
  COUNTERS_KEY,
  ENDED,
  HIDDEN_SESSION,
  rowKey,
  type ToolRow,
  toAgent,
  toToolStats,
  zeroCounters,
} from '../projections/index.ts'
import {
  type AgentsByCall,
  countAlive,
  createSlices,
  type Life,
  MarkChoice,
  type MarkRow,
  parseMade,
  sessionGroup,
} from '../timeline/marks.ts'
import { readEvents, rowQueries } from './event-reader.ts'
import { FORGOTTEN_ROWS, readNumber, readVersion } from './migrations.ts'
import { replayAt } from './replay.ts'
import { Statements } from './statements.ts'

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

  /** Full parts of a long list are sent ahead through `part`; the answer contains the rest. */
  agents(query: AgentQuery, part: (agents: readonly Agent[]) => void): At<readonly Agent[]> {
    return this.#snapshot(() => {
      let found: Agent[] = []
      let count = 0
      for (const doc of agentDocs(this.#statements, query)) {
        const agent = toAgent(JSON.parse(doc) as AgentsRow)
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
    return this.#inTransaction(() => readTimeline(this.#statements, query))
  }

  tools(): At<readonly ToolStats[]> {
    return this.#snapshot(() =>
      this.#statements
        .of("SELECT doc FROM projection_rows WHERE name = 'tools' ORDER BY key")
        .all()
        .map((row) => toToolStats(JSON.parse(String(row.doc)) as ToolRow)),
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

  info(): StoreInfo {
    const ts = (order: 'ASC' | 'DESC'): number | null => {
      const row = this.#statements
        .of(`SELECT ts FROM events WHERE ts >= 0 ORDER BY ts ${order} LIMIT 1`)
        .get()
      return row === undefined ? null : Number(row.ts)
    }
    const [base, last] = [this.#statements.base(), this.#statements.last()]
    const forgotten = readNumber(this.#db, FORGOTTEN_ROWS)
    return {
      engine: 'sqlite',
      path: this.#file,
      bytes: readNumber(this.#db, 'PRAGMA page_count') * readNumber(this.#db, 'PRAGMA page_size'),
      schemaVersion: readVersion(this.#db),
      head: { first: base + 1, last },
      events: last - base - forgotten,
      forgotten,
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

/** Reads the bars, the line of living agents, and the marks of a span. */
function readTimeline(statements: Statements, query: TimelineQuery): Timeline {
  const { from, to } = query
  const line = createSlices(query)
  const session = query.session ?? null
  const bars = statements.of(
    `SELECT CAST((ts - ?) / ? AS INTEGER) AS slice, count(*) AS events, sum(failed) AS errors FROM events
     WHERE ts >= ? AND ts < ? AND (? IS NULL OR session_id = ?) GROUP BY slice`,
  )
  for (const row of bars.all(from, line.width, from, to, session, session)) {
    const slice = line.slices[Number(row.slice)]
    if (slice === undefined) continue
    slice.events = Number(row.events)
    slice.errors = Number(row.errors)
  }
  countAlive(line, query, readLives(statements, query))
  return { from, to, slices: line.slices, ...readMarks(statements, query) }
}

function* readLives(statements: Statements, query: TimelineQuery): Iterable<Life> {
  const lives = statements.of(
    `SELECT json_extract(doc, '$.started_at') AS started, json_extract(doc, '$.ended_at') AS ended,
       json_extract(doc, '$.session_id') AS session FROM projection_rows
     WHERE name = 'agents' AND (tag = 'alive' OR tag = 'ended' AND ord >= ?)`,
  )
  for (const { started, ended, session } of lives.iterate(query.from)) {
    if (query.session !== undefined && session !== query.session) continue
    yield { started: Number(started), ended: ended === null ? null : Number(ended) }
  }
}

/**
 * Yields agent rows that may match, using the narrowest index: in order of start for one session, otherwise
 * newest first.
 */
function* agentDocs(statements: Statements, query: AgentQuery): Iterable<string> {
  if (query.of !== undefined) {
    yield* readReferred(statements, query.of)
    return
  }
  if (query.session !== undefined) {
    const ofGroup = statements.of(rowQueries.ofGroup)
    for (const source of sessionGroups(statements, query.session)) {
      for (const row of ofGroup.all(rowKey(source, query.session))) yield String(row.doc)
    }
    return
  }
  const byTag = statements.of(rowQueries.byTag)
  for (const tag of stateTags(query)) for (const row of byTag.iterate(tag)) yield String(row.doc)
}

/** A session id is unique only within its source, so two sources may use the same one. */
function sessionGroups(statements: Statements, session: string): readonly string[] {
  return statements
    .of(rowQueries.groupsByRef)
    .all(session)
    .map((row) => String(row.grp))
}

function stateTags(query: AgentQuery): readonly string[] {
  if (query.states === undefined) return [ALIVE, ENDED]
  return [...new Set(query.states.map((state) => (isAlive(state) ? ALIVE : ENDED)))]
}

function* readReferred(statements: Statements, refs: readonly AgentRef[]): Iterable<string> {
  const one = statements.of("SELECT doc FROM projection_rows WHERE name = 'agents' AND key = ?")
  const group = statements.of(
    "SELECT doc FROM projection_rows WHERE name = 'agents' AND grp = ? ORDER BY ord, key",
  )
  for (const { source, session, id } of refs) {
    const key = rowKey(source, session)
    for (const row of id === undefined ? group.all(key) : one.all(rowKey(key, id))) yield String(row.doc)
  }
}

/** Returns the newest marks of a span, failures and waits first, and how many were left out. */
function readMarks(statements: Statements, query: TimelineQuery): Pick<Timeline, 'marks' | 'marks_left_out'> {
  const hidden = hiddenSince(statements, query.from)
  const choice = new MarkChoice()
  for (const row of markRows(statements, query)) if (!hidden.has(sessionGroup(row))) choice.add(row)
  const madeByGroup = new Map<string, AgentsByCall>()
  return choice.marks((group) => {
    const made = madeByGroup.get(group) ?? madeIn(statements, group)
    madeByGroup.set(group, made)
    return made
  })
}

function* markRows(statements: Statements, query: TimelineQuery): Iterable<MarkRow> {
  const session = query.session ?? null
  const span = [query.from, query.to, session, session]
  const columns = 'seq, ts, event, source, session_id, agent_id, failed'
  const failures = statements.of(
    `SELECT ${columns}, iif(agent_id IS NULL, body, NULL) AS body FROM events INDEXED BY events_failed
     WHERE failed = 1 AND event IN ('agent_done', 'agent_link')
       AND ts >= ? AND ts < ? AND (? IS NULL OR session_id = ?) ORDER BY ts DESC`,
  )
  yield* failures.iterate(...span)
  const others = statements.of(
    `SELECT ${columns} FROM events INDEXED BY events_told
     WHERE event IN ('agent_spawn', 'agent_wait', 'agent_stuck', 'agent_done', 'agent_lost') AND failed = 0
       AND ts >= ? AND ts < ? AND (? IS NULL OR session_id = ?) ORDER BY ts DESC`,
  )
  yield* others.iterate(...span)
}

function madeIn(statements: Statements, group: string): AgentsByCall {
  const doc = statements.of(rowQueries.agentsRow).get(group)?.doc
  return parseMade(doc === undefined ? undefined : String(doc))
}

/** Sessions that a hook started contain no agent to jump to. */
function hiddenSince(statements: Statements, from: number): ReadonlySet<string> {
  const rows = statements.of(rowQueries.groupsByTagSince).all(HIDDEN_SESSION, from)
  return new Set(rows.map((row) => String(row.grp)))
}
