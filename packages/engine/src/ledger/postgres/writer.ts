import { randomUUID } from 'node:crypto'
import type { StoredEvent } from '@panoptes/schema'
import { agentOf, saysFailed } from '@panoptes/schema/reading'
import type { Batch, Written } from '../append-queue.ts'
import { lineOf } from '../line.ts'
import { rowKey } from '../projections/index.ts'
import { type Cell, copyInto } from './copy.ts'
import type { Connection, Database, Row } from './database.ts'
import { makePartition, partitionsOf } from './partitions.ts'
import { setVersionsBack } from './projection-versions.ts'
import { Projector } from './projector.ts'
import { sumAt, sumOf } from './sums.ts'

/** Of more foreign events than this all that is remembered goes, instead of asking whom they are of. */
const MOST_FOREIGN = 20_000

type End = 'COMMIT' | 'ROLLBACK'

interface Staged {
  readonly event: StoredEvent
  readonly line: string
}

interface Head {
  readonly last: number
  readonly turn: number
  readonly span: number
}

interface Known extends Head {
  /** Of the last event. */
  readonly sum: string | undefined
}

/** Who is not to be stored any more; asked anew whenever another process may have changed it. */
export interface Refusing {
  readonly reload: (connection: Connection) => Promise<void>
  readonly has: (source: string, session: string) => boolean
}

/**
 * Appends events and their projections in one transaction. The row of the head is locked for as long as that takes, so the log is
 * gapless and what is visible of it never has a hole, however many processes write.
 */
export class Writer {
  readonly #database: Database
  readonly #projector = new Projector('projection_rows')
  readonly #refusing: Refusing
  readonly #partitions = new Set<number>()
  /** Connections that have a table to stage rows in. */
  readonly #staging = new WeakSet<Connection['client']>()
  /** What this process knows of the head; unknown after a failure. */
  #known: Known | undefined
  /** Whether somebody may have replaced the rows since this process last changed any. */
  #hasTurned = true

  constructor(database: Database, refusing: Refusing) {
    this.#database = database
    this.#refusing = refusing
  }

  /** Each batch is an append of its own, all of them one commit. Throws with nothing stored. */
  async append(batches: readonly Batch[]): Promise<Written[]> {
    try {
      return await this.#database.connected(async (connection) => {
        const written = await this.#transaction(connection, batches, 'COMMIT')
        this.#staging.add(connection.client)
        return written
      })
    } catch (error) {
      this.forget()
      throw error
    }
  }

  /** Throws where the tables take no event, whatever it is: stores one that nobody gave, and undoes it. */
  async probe(): Promise<void> {
    try {
      await this.#database.connected((connection) =>
        this.#transaction(connection, [{ lines: [probeLine()] }], 'ROLLBACK'),
      )
    } finally {
      this.forget()
    }
  }

  /** After the rows were replaced, or a transaction was rolled back. */
  forget(): void {
    this.#known = undefined
    this.#partitions.clear()
    this.#projector.reset()
  }

  async #transaction(connection: Connection, batches: readonly Batch[], end: End): Promise<Written[]> {
    await connection.run('BEGIN')
    try {
      return await this.#append(connection, batches, end)
    } catch (error) {
      await connection.run('ROLLBACK').catch(() => undefined)
      throw error
    }
  }

  /** Ends in one question with what comes last. */
  async #append(connection: Connection, batches: readonly Batch[], end: End): Promise<Written[]> {
    const staged = new Map<string, Staged>()
    const keys = batches.map(({ lines }) =>
      lines.map((line) => {
        const event = JSON.parse(line) as StoredEvent
        if (!staged.has(event.key)) staged.set(event.key, { event, line })
        return event.key
      }),
    )
    // What takes long is sent before anybody else has to wait.
    if (!this.#staging.has(connection.client))
      await connection.run(
        `CREATE TEMP TABLE IF NOT EXISTS staged (n integer NOT NULL, key text COLLATE "C" NOT NULL, ts bigint NOT NULL, event text NOT NULL,
         source text NOT NULL, session_id text NOT NULL, agent_id text, failed boolean NOT NULL, body text NOT NULL) ON COMMIT DELETE ROWS`,
      )
    await copyInto(connection, 'staged', cellsOf(staged.values()))
    const { head, known } = await this.#lock(connection)
    const { fresh, left } = this.#number(staged, known, head)
    if (fresh.length > 0) await this.#store(connection, fresh, left, head)
    await this.#mark(connection, batches)
    const last = head.last + fresh.length
    const newest = fresh.at(-1)
    let sum = newest && sumOf(staged.get(newest.key)?.line ?? '')
    if (newest === undefined) sum = sumIn((await connection.all(`${sumAt(last)}; ${end}`))[0])
    else await connection.all(`UPDATE head SET last = ${last}; NOTIFY ${this.#database.schema}; ${end}`)
    this.#known = { ...head, last, sum }
    this.#hasTurned &&= fresh.length === 0
    return writtenOf(keys, fresh, head.last)
  }

  /** From here on nobody else appends, and what others stored is known: it is looked up after the lock was there. */
  async #lock(connection: Connection): Promise<{ readonly head: Head; readonly known: ReadonlySet<number> }> {
    const before = this.#known?.last ?? Number.MAX_SAFE_INTEGER
    // One by one by the index: nothing is known of how many rows are staged, and a plan for few may read all keys.
    const [[row] = [], found = [], foreign = [], sums = []] = await connection.all(
      `SELECT last, turn, span FROM head FOR UPDATE;
       SELECT n FROM staged AS s, LATERAL (SELECT FROM event_keys AS k WHERE k.key = s.key OFFSET 0) AS known;
       SELECT DISTINCT source, session_id
       FROM (SELECT source, session_id FROM events WHERE seq > ${before} ORDER BY seq LIMIT ${MOST_FOREIGN}) AS foreign_events;
       ${sumAt(before)}`,
    )
    const head = { last: Number(row?.last), turn: Number(row?.turn), span: Number(row?.span) }
    // A standby that lacks the last events took over, and others may have their numbers already: what is remembered of them, also of their tables, never was.
    const isBack = this.#known !== undefined && (head.last < before || isOther(this.#known.sum, sumIn(sums)))
    if (isBack) this.#partitions.clear()
    if (isBack || this.#known?.turn !== head.turn) {
      await this.#refusing.reload(connection)
      this.#projector.reset()
      this.#hasTurned = true
    } else if (head.last - before > MOST_FOREIGN) this.#projector.reset()
    else if (foreign.length > 0)
      this.#projector.changedElsewhere(
        foreign.map(({ source, session_id }) => rowKey(String(source), String(session_id))),
      )
    return { head, known: new Set(found.map(({ n }) => Number(n))) }
  }

  /** Gives the new ones their seqs; the others, by their places, are not stored. */
  #number(staged: ReadonlyMap<string, Staged>, known: ReadonlySet<number>, { last }: Head) {
    const fresh: StoredEvent[] = []
    const left: number[] = []
    let n = -1
    for (const { event } of staged.values()) {
      n += 1
      if (known.has(n) || this.#refusing.has(event.source, event.session_id)) left.push(n)
      else {
        event.seq = last + fresh.length + 1
        fresh.push(event)
      }
    }
    return { fresh, left }
  }

  async #store(
    connection: Connection,
    fresh: readonly StoredEvent[],
    left: readonly number[],
    { last, span }: Head,
  ): Promise<void> {
    for (const at of partitionsOf(last + 1, last + fresh.length, span))
      if (!this.#partitions.has(at)) {
        await makePartition(connection, at, span)
        this.#partitions.add(at)
      }
    if (left.length > 0) await connection.run('DELETE FROM staged WHERE n = ANY($1)', [left])
    await this.#projector.prepare(connection, fresh)
    const storing = connection.run(
      `WITH numbered AS (SELECT *, $1::bigint + row_number() OVER (ORDER BY n) AS seq FROM staged),
       keys AS (INSERT INTO event_keys SELECT key, seq FROM numbered)
       INSERT INTO events (seq, ts, event, source, session_id, agent_id, failed, body)
       SELECT seq, ts, event, source, session_id, agent_id, failed, body FROM numbered`,
      [last],
    )
    // The server stores them while they are folded here.
    const folding = this.#fold(fresh)
    await Promise.all([storing, folding])
    await this.#projector.save(connection)
    if (this.#hasTurned) await setVersionsBack(connection)
  }

  async #fold(events: readonly StoredEvent[]): Promise<void> {
    for (const event of events) this.#projector.apply(event)
  }

  async #mark(connection: Connection, batches: readonly Batch[]): Promise<void> {
    const marks = new Map(batches.flatMap(({ marks = {} }) => Object.entries(marks)))
    if (marks.size === 0) return
    await connection.run(
      `INSERT INTO marks SELECT * FROM unnest($1::text[], $2::text[])
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [[...marks.keys()], [...marks.values()]],
    )
  }
}

const sumIn = (rows: readonly Row[] | undefined): string | undefined => {
  const sum = rows?.[0]?.sum
  return typeof sum === 'string' ? sum : undefined
}

const isOther = (before: string | undefined, now: string | undefined): boolean =>
  before !== undefined && now !== undefined && before !== now

const probeLine = (): string =>
  lineOf({
    v: 1,
    key: `probe ${randomUUID()}`,
    ts: Date.now(),
    event: 'prompt',
    source: 'custom',
    host: 'probe',
    session_id: 'probe',
  })

function* cellsOf(staged: Iterable<Staged>): Iterable<readonly Cell[]> {
  let n = 0
  for (const { event, line } of staged) {
    const agent = agentOf(event) ?? null
    yield [
      n,
      event.key,
      event.ts,
      event.event,
      event.source,
      event.session_id,
      agent,
      saysFailed(event),
      line,
    ]
    n += 1
  }
}

/** The first line with a key is the one that is stored, if it is new at all. */
function writtenOf(
  batches: readonly (readonly string[])[],
  fresh: readonly StoredEvent[],
  before: number,
): Written[] {
  const unseen = new Set(fresh.map(({ key }) => key))
  let last = before
  return batches.map((keys) => {
    const first = last + 1
    const duplicates: number[] = []
    keys.forEach((key, n) => {
      if (unseen.delete(key)) last += 1
      else duplicates.push(n)
    })
    return { first, duplicates, last }
  })
}
