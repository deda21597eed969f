import type { Failure, NewEvent, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { AppendQueue } from '../append-queue.ts'
import { ForgottenSessions } from '../forgotten-sessions.ts'
import { lineOf } from '../line.ts'
import type {
  AgentQuery,
  Appended,
  EventFilter,
  EventRange,
  Ledger,
  LedgerJob,
  Marks,
  Moment,
  RetentionPolicy,
  SessionQuery,
  TimelineQuery,
  Work,
} from '../port.ts'
import { accountsOf } from './accounts/index.ts'
import { achievedOf } from './achieved.ts'
import { backup } from './backup.ts'
import type { Ask } from './beside-log.ts'
import { Checkpoints, IN_USE } from './checkpoint.ts'
import { committing } from './committing.ts'
import { conversationsOf } from './conversations/index.ts'
import { type Database, openDatabase, poolOf, type Silences, SNAPSHOT, within } from './database.ts'
import { readEvents } from './event-reader.ts'
import { failureOf, shownAddress } from './failures.ts'
import { forgottenIn } from './forget.ts'
import { forgettingOf } from './forgetting.ts'
import { jobOf } from './job.ts'
import { Leads } from './lead.ts'
import { markedOf } from './marked.ts'
import { migrate } from './migrations.ts'
import { rowsAreStale } from './projection-versions.ts'
import {
  countAlive,
  findAgents,
  readAgents,
  readCounters,
  readHead,
  readInfo,
  readMarks,
  readSessions,
  readTools,
} from './reader.ts'
import { rebuild } from './rebuild.ts'
import { replayAt } from './replay.ts'
import { restore } from './restore.ts'
import { retain } from './retain.ts'
import { Tail } from './tail.ts'
import { templatedOf } from './templated.ts'
import { timelineOf } from './timeline.ts'
import { traceLinesOf } from './traces.ts'
import { turnsOf } from './turns.ts'
import { verify } from './verify.ts'
import { Writer } from './writer.ts'

export interface PostgresPlace {
  /** `postgres://…` */
  readonly url: string
  /** The schema that the ledger is; lower-case letters, digits and `_`. */
  readonly schema: string
  /** Events of a partition, where the ledger is made anew: retention by size drops whole ones. */
  readonly partition?: number | undefined
}

/** Opens or creates the ledger in one schema of a PostgreSQL database; any number of processes may have it open. */
export async function openPostgresLedger(place: PostgresPlace): Promise<Result<Ledger>> {
  return opened(place, async (database) => {
    await migrate(database, { span: place.partition })
  })
}

/** A backup as a ledger of its own, in a schema that is not there yet. */
export const restorePostgresLedger = (place: PostgresPlace, file: string): Promise<Result<Ledger>> =>
  opened(place, async (database) => {
    await restore(database, file)
    await migrate(database)
  })

const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/

/** Beside the one that only appends use, so that those who read hold up none. */
const READERS = 7

async function opened(
  { url, schema }: PostgresPlace,
  prepare: (database: Database) => Promise<void>,
): Promise<Result<Ledger>> {
  if (!SCHEMA.test(schema))
    return failure('invalid', `"${schema}" cannot be the name of a schema: use a-z, 0-9 and _.`)
  const where = `${shownAddress(url)} (${schema})`
  const silences: Silences = { count: 0 }
  const database = openDatabase(url, schema, { max: READERS, silences })
  const writing = openDatabase(url, schema, { max: 1, silences })
  try {
    await prepare(database)
    const forgotten = new ForgottenSessions(await forgottenIn(database))
    const tail = new Tail(database, url, await readHead(database), async () =>
      forgotten.replace(await forgottenIn(database)),
    )
    const ledger = new PostgresLedger(where, database, forgotten, {
      writing,
      tail,
      leads: new Leads(url, schema),
    })
    if (!(await rowsAreStale(database))) return success(ledger)
    const rebuilt = await ledger.rebuild({ check: false })
    if (rebuilt.ok) return success(ledger)
    await ledger.close()
    return rebuilt
  } catch (error) {
    await Promise.all([database.close(), writing.close()])
    return failureOf(error, where)
  }
}

class PostgresLedger implements Ledger {
  readonly marked: Ledger['marked']
  readonly accounts: Ledger['accounts']
  readonly achieved: Ledger['achieved']
  readonly templated: Ledger['templated']
  readonly turns: Ledger['turns']
  readonly traces: Ledger['traces']
  readonly conversations: Ledger['conversations']
  readonly forgetting: Ledger['forgetting']
  readonly #where: string
  readonly #database: Database
  readonly #writing: Database
  readonly #forgotten: ForgottenSessions
  readonly #tail: Tail
  readonly #leads: Leads
  readonly #checkpoints = new Checkpoints(IN_USE)
  readonly #queue: AppendQueue
  readonly #asked = new Set<Promise<unknown>>()
  #checkpoint: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(
    where: string,
    database: Database,
    forgotten: ForgottenSessions,
    { writing, tail, leads }: { readonly writing: Database; readonly tail: Tail; readonly leads: Leads },
  ) {
    this.#where = where
    this.#database = database
    this.#forgotten = forgotten
    this.#writing = writing
    this.#tail = tail
    this.#leads = leads
    const writer = new Writer(writing, {
      reload: async (connection) => forgotten.replace(await forgottenIn(connection)),
      has: (source, session) => forgotten.has(source, session),
    })
    this.#queue = new AppendQueue(committing(writer, where, (last) => this.#stored(last)))
    const ask: Ask = (work) => this.#ask(work)
    this.marked = markedOf(database, ask)
    this.achieved = achievedOf(database, forgotten, ask)
    this.templated = templatedOf(database, forgotten, ask)
    this.turns = turnsOf(database, forgotten, ask)
    this.traces = traceLinesOf(database, forgotten, ask)
    this.conversations = conversationsOf(database, ask, leads)
    this.accounts = accountsOf(database, forgotten, ask)
    this.forgetting = forgettingOf(database, forgotten, {
      ask,
      jobOf: (work) => jobOf(work, () => this.#closing !== undefined),
      settle: () => this.#queue.drain(),
      cleared: () => tail.clear(),
    })
  }

  async append(events: readonly NewEvent[], marks?: Marks): Promise<Result<Appended>> {
    if (this.#closing) return this.#closed()
    const kept = this.#forgotten.without(events)
    const left = events.length - kept.length
    const refused = left > 0 ? { forgotten: left } : {}
    if (kept.length === 0 && marks === undefined) {
      const head = await this.head()
      return head.ok ? success({ accepted: 0, duplicates: left, ...refused, last: head.value.last }) : head
    }
    const lines = kept.map(lineOf)
    const written = await this.#queue.append({ lines, marks })
    if (!written.ok) return written
    const { last, duplicates } = written.value
    return success({
      accepted: lines.length - duplicates.length,
      duplicates: duplicates.length + left,
      ...refused,
      last,
    })
  }

  marks(names: readonly string[]) {
    return this.#ask(() => readMarks(this.#database, names))
  }

  head() {
    return this.#ask(() => readHead(this.#database))
  }

  read(range: EventRange, filter: EventFilter = {}) {
    return this.#ask(() => this.#database.connected((connection) => readEvents(connection, range, filter)))
  }

  subscribe(after: number, signal: AbortSignal) {
    return this.#tail.follow(after, signal)
  }

  onTurned(heard: (back?: number) => void) {
    return this.#tail.onTurned(heard)
  }

  counters() {
    return this.#ask(() => readCounters(this.#database))
  }

  agents(query: AgentQuery) {
    return this.#ask(() => readAgents(this.#database, query))
  }

  async agentsAt(moment: Moment) {
    const then = await this.replayAt(moment)
    return then.ok ? success({ seq: then.value.seq, value: JSON.parse(then.value.agents) }) : then
  }

  replayAt(moment: Moment) {
    return this.#ask(() => this.#database.snapshot((connection) => replayAt(connection, moment)))
  }

  timeline(query: TimelineQuery) {
    return this.#ask(() => this.#database.snapshot((connection) => timelineOf(connection, query)))
  }

  tools() {
    return this.#ask(() => readTools(this.#database))
  }

  aliveCount() {
    return this.#ask(() => countAlive(this.#database))
  }

  sessions(query: SessionQuery) {
    return this.#ask(() => readSessions(this.#database, query))
  }

  findAgents(ids: readonly string[]) {
    return this.#ask(() => findAgents(this.#database, ids))
  }

  lead(job: LedgerJob, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) {
    return this.#leads.lead(job, work, signal)
  }

  load() {
    return { waiting: this.#queue.waiting, pool: poolOf([this.#database, this.#writing]) }
  }

  info() {
    return this.#ask(() => readInfo(this.#database, this.#where))
  }

  rebuild({ check, ...work }: { readonly check: boolean } & Work) {
    return this.#ask(() => rebuild(this.#database, check, this.#job(work)))
  }

  retain({ before, maxBytes, keepAfter, ...work }: RetentionPolicy & Work) {
    return this.#ask(() => retain(this.#database, { before, maxBytes, keepAfter }, this.#job(work)))
  }

  backup(file: string, { replace = false, ...work }: { readonly replace?: boolean | undefined } & Work = {}) {
    return this.#ask(() => backup(this.#database, file, replace, this.#job(work)))
  }

  verify() {
    return this.#ask(() =>
      this.#database.patiently((connection) =>
        within(connection, `${SNAPSHOT} READ ONLY`, () => verify(connection)),
      ),
    )
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut()
    return this.#closing
  }

  async #shut(): Promise<void> {
    await Promise.all([this.#queue.drain(), this.#leads.close()])
    await this.#tail.close()
    await this.#checkpoint
    await Promise.all(this.#asked)
    await Promise.all([this.#database.close(), this.#writing.close()])
  }

  /** Nobody waits for it. A checkpoint that cannot be written now is written later. */
  #stored(last: number): void {
    this.#tail.look()
    if (!this.#checkpoints.isDue(last)) return
    this.#checkpoint ??= this.#checkpoints
      .writeIfDue(this.#database)
      .catch(() => this.#checkpoints.reset())
      .finally(() => {
        this.#checkpoint = undefined
      })
  }

  #job(work: Work) {
    return jobOf(work, () => this.#closing !== undefined)
  }

  async #ask<T>(work: () => Promise<T>): Promise<Result<T>> {
    if (this.#closing) return this.#closed()
    const asked = (async () => work())().then(success<T>, (error: unknown) => failureOf(error, this.#where))
    this.#asked.add(asked)
    try {
      return await asked
    } finally {
      this.#asked.delete(asked)
    }
  }

  #closed(): Failure {
    return failure('closed', `The ledger ${this.#where} is closed.`)
  }
}
