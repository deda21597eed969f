import { randomUUID } from 'node:crypto'
import type { StoredEvent } from '@panoptes/schema'
import { readAgentId, reportsFailure } from '@panoptes/schema/reading'
import type { Batch, Written } from '../append-queue.ts'
import { serializeEvent } from '../event-line.ts'
import { rowKey } from '../projections/index.ts'
import { type Cell, copyInto } from './copy.ts'
import type { Connection, Database, Row } from './database.ts'
import { bodyHash, sumAt } from './log-checksum.ts'
import { makePartition, partitionRange } from './partitions.ts'
import { setVersionsBack } from './projection-versions.ts'
import { Projector } from './projector.ts'

/**
 * When other processes stored more events than this, the whole memory is cleared instead of looking up their
 * sessions.
 */
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

interface CachedHead extends Head {
  /** The checksum of the last event. */
  readonly sum: string | undefined
}

/** The forgotten sessions, read again whenever another process may have changed them. */
export interface Refusing {
  readonly reload: (connection: Connection) => Promise<void>
  readonly has: (source: string, session: string) => boolean
}

/**
 * Appends events and their projections in one transaction. The head row stays locked meanwhile, so the log is
 * gapless and readers never see a hole in it, however many processes write.
 */
export class Writer {
  readonly #database: Database
  readonly #projector = new Projector('projection_rows')
  readonly #refusing: Refusing
  readonly #partitions = new Set<number>()
  /** Connections that already have a staging table. */
  readonly #staging = new WeakSet<Connection['client']>()
  /** Holds what this process knows about the head. It is undefined after a failure. */
  #cachedHead: CachedHead | undefined
  /** This is true when another process may have replaced the rows since this one last changed any. */
  #hasTurned = true

  constructor(database: Database, refusing: Refusing) {
    this.#database = database
    this.#refusing = refusing
  }

  /** Stores each batch as an append of its own, all in one commit. If it throws, nothing was stored. */
  async append(batches: readonly Batch[]): Promise<Written[]> {
    try {
      return await this.#database.withConnection(async (connection) => {
        const written = await this.#transaction(connection, batches, 'COMMIT')
        this.#staging.add(connection.client)
        return written
      })
    } catch (error) {
      this.forget()
      throw error
    }
  }

  /** Throws when the tables accept no events at all: it stores a test event and rolls back. */
  async probe(): Promise<void> {
    try {
      await this.#database.withConnection((connection) =>
        this.#transaction(connection, [{ lines: [probeLine()] }], 'ROLLBACK'),
      )
    } finally {
      this.forget()
    }
  }

  /** Clears the memory after the rows were replaced or a transaction was rolled back. */
  forget(): void {
    this.#cachedHead = undefined
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

  /** The last step of the append is sent together with the commit. */
  async #append(connection: Connection, batches: readonly Batch[], end: End): Promise<Written[]> {
    const staged = new Map<string, Staged>()
    const keys = batches.map(({ lines }) =>
      lines.map((line) => {
        const event = JSON.parse(line) as StoredEvent
        if (!staged.has(event.key)) staged.set(event.key, { event, line })
        return event.key
      }),
    )
    // Slow preparation happens before anybody else has to wait for the lock.
    if (!this.#staging.has(connection.client))
      await connection.run(
        `CREATE TEMP TABLE IF NOT EXISTS staged (n integer NOT NULL, key text COLLATE "C" NOT NULL, ts bigint NOT NULL, event text NOT NULL,
         source text NOT NULL, session_id text NOT NULL, agent_id text, failed boolean NOT NULL, body text NOT NULL) ON COMMIT DELETE ROWS`,
      )
    await copyInto(connection, 'staged', stagedCells(staged.values()))
    const { head, stored } = await this.#lock(connection)
    const { fresh, left } = this.#number(staged, stored, head)
    if (fresh.length > 0) await this.#store(connection, fresh, left, head)
    await this.#mark(connection, batches)
    const last = head.last + fresh.length
    const newest = fresh.at(-1)
    let sum = newest && bodyHash(staged.get(newest.key)?.line ?? '')
    if (newest === undefined) sum = sumIn((await connection.all(`${sumAt(last)}; ${end}`))[0])
    else await connection.all(`UPDATE head SET last = ${last}; NOTIFY ${this.#database.schema}; ${end}`)
    this.#cachedHead = { ...head, last, sum }
    this.#hasTurned &&= fresh.length === 0
    return countWritten(keys, fresh, head.last)
  }

  /**
   * Locks out all other appends from here on. What others stored is read after the lock was taken, so it is
   * current.
   */
  async #lock(
    connection: Connection,
  ): Promise<{ readonly head: Head; readonly stored: ReadonlySet<number> }> {
    const before = this.#cachedHead?.last ?? Number.MAX_SAFE_INTEGER
    // Keys are looked up one by one through the index. The planner does not know how many rows are staged,
    // and a plan for few rows may read all keys.
    const [[row] = [], found = [], foreign = [], sums = []] = await connection.all(
      `SELECT last, turn, span FROM head FOR UPDATE;
       SELECT n FROM staged AS s, LATERAL (SELECT FROM event_keys AS k WHERE k.key = s.key OFFSET 0) AS known;
       SELECT DISTINCT source, session_id
       FROM (SELECT source, session_id FROM events WHERE seq > ${before} ORDER BY seq LIMIT ${MOST_FOREIGN}) AS foreign_events;
       ${sumAt(before)}`,
    )
    const head = { last: Number(row?.last), turn: Number(row?.turn), span: Number(row?.span) }
    // A standby that lacks the newest events took over, and others may already have reused their seqs.
    // Everything remembered about them, including their tables, is void.
    const isBack =
      this.#cachedHead !== undefined && (head.last < before || isOther(this.#cachedHead.sum, sumIn(sums)))
    if (isBack) this.#partitions.clear()
    if (isBack || this.#cachedHead?.turn !== head.turn) {
      await this.#refusing.reload(connection)
      this.#projector.reset()
      this.#hasTurned = true
    } else if (head.last - before > MOST_FOREIGN) this.#projector.reset()
    else if (foreign.length > 0)
      this.#projector.changedElsewhere(
        foreign.map(({ source, session_id }) => rowKey(String(source), String(session_id))),
      )
    return { head, stored: new Set(found.map(({ n }) => Number(n))) }
  }

  /** Assigns seqs to the new events. Events at the `stored` places are skipped. */
  #number(staged: ReadonlyMap<string, Staged>, stored: ReadonlySet<number>, { last }: Head) {
    const fresh: StoredEvent[] = []
    const left: number[] = []
    let n = -1
    for (const { event } of staged.values()) {
      n += 1
      if (stored.has(n) || this.#refusing.has(event.source, event.session_id)) left.push(n)
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
    for (const at of partitionRange(last + 1, last + fresh.length, span))
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
    // The server stores the events while they are folded here.
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
  serializeEvent({
    v: 1,
    key: `probe ${randomUUID()}`,
    ts: Date.now(),
    event: 'prompt',
    source: 'custom',
    host: 'probe',
    session_id: 'probe',
  })

function* stagedCells(staged: Iterable<Staged>): Iterable<readonly Cell[]> {
  let n = 0
  for (const { event, line } of staged) {
    const agent = readAgentId(event) ?? null
    yield [
      n,
      event.key,
      event.ts,
      event.event,
      event.source,
      event.session_id,
      agent,
      reportsFailure(event),
      line,
    ]
    n += 1
  }
}

/** The first line with a key is the one that is stored, if the key is new at all. */
function countWritten(
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
