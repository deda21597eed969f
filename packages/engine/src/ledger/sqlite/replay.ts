import type { DatabaseSync } from 'node:sqlite'
import type { Agent, StoredEvent } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import type { At, Moment } from '../port.ts'
import {
  type AgentsRow,
  agentsProjection,
  MemoryRows,
  type Rows,
  rowKey,
  shownAgent,
} from '../projections/index.ts'
import { checkpointBefore, RECENT_MS } from './checkpoint.ts'
import type { Statements } from './statements.ts'

/** The agents at a past moment: the checkpoint before it, and the events since. */
export function agentsAt(db: DatabaseSync, statements: Statements, moment: Moment): At<readonly Agent[]> {
  const seq = seqOf(statements, moment)
  const base = statements.base()
  const checkpoint = checkpointBefore(db, seq, base)
  const rows = new PastRows(statements, checkpoint.seq, checkpoint.rows)
  let ts = 0
  const events = statements.of('SELECT seq, ts, body FROM events WHERE seq > ? AND seq <= ? ORDER BY seq')
  for (const row of events.iterate(checkpoint.seq, seq)) {
    ts = Math.max(ts, Number(row.ts))
    agentsProjection.apply(rows, { ...(JSON.parse(String(row.body)) as StoredEvent), seq: Number(row.seq) })
  }
  const at = 'ts' in moment ? moment.ts : ts
  const agents = rows.entries().flatMap(([, row]) => shownAgent(row) ?? [])
  return {
    seq,
    value: agents.filter((agent) => isAlive(agent.state) || (agent.ended_at ?? 0) >= at - RECENT_MS),
  }
}

function seqOf(statements: Statements, moment: Moment): number {
  if ('seq' in moment) return Math.min(moment.seq, statements.last())
  const row = statements
    .of('SELECT seq FROM events WHERE ts <= ? ORDER BY ts DESC, seq DESC LIMIT 1')
    .get(moment.ts)
  return row === undefined ? statements.base() : Number(row.seq)
}

/** Rows as they were at the checkpoint; a session that is not in it is computed from its own events when it is met. */
class PastRows implements Rows<AgentsRow> {
  readonly #statements: Statements
  readonly #checkpoint: number
  readonly #rows: MemoryRows<AgentsRow>
  readonly #known = new Set<string>()

  constructor(statements: Statements, checkpoint: number, rows: Iterable<readonly [string, AgentsRow]>) {
    this.#statements = statements
    this.#checkpoint = checkpoint
    this.#rows = new MemoryRows(agentsProjection, rows)
    for (const [key] of this.#rows.entries()) this.#known.add(groupOf(key))
  }

  get(key: string): AgentsRow | undefined {
    this.#meet(groupOf(key))
    return this.#rows.get(key)
  }

  set(key: string, row: AgentsRow): void {
    this.#rows.set(key, row)
  }

  remove(key: string): void {
    this.#rows.remove(key)
  }

  alive(name: string): readonly (readonly [string, AgentsRow])[] {
    this.#meet(name)
    return this.#rows.alive(name)
  }

  group(name: string): readonly (readonly [string, AgentsRow])[] {
    this.#meet(name)
    return this.#rows.group(name)
  }

  entries(): readonly (readonly [string, AgentsRow])[] {
    return this.#rows.entries()
  }

  #meet(group: string): void {
    if (this.#known.has(group)) return
    this.#known.add(group)
    const [source = '', session = ''] = group.split(SEPARATOR)
    const base = this.#statements.of(
      "SELECT key, doc FROM projection_base INDEXED BY projection_base_key WHERE name = 'agents' AND key >= ?1 AND key < ?1 || char(32) AND grp = ?1",
    )
    for (const row of base.all(group)) this.#rows.set(String(row.key), JSON.parse(String(row.doc)))
    const events = this.#statements.of(
      'SELECT seq, body FROM events INDEXED BY events_session WHERE session_id = ? AND source = ? AND seq <= ? ORDER BY seq',
    )
    for (const row of events.all(session, source, this.#checkpoint)) {
      agentsProjection.apply(this.#rows, {
        ...(JSON.parse(String(row.body)) as StoredEvent),
        seq: Number(row.seq),
      })
    }
  }
}

const SEPARATOR = rowKey('', '')
const groupOf = (key: string): string => key.split(SEPARATOR, 2).join(SEPARATOR)
