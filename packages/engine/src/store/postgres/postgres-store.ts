import type { Failure, NewEvent, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { AppendQueue } from '../append-queue.ts'
import { serializeEvent } from '../event-line.ts'
import { ForgottenSessions } from '../forgotten-sessions.ts'
import type {
  AgentQuery,
  Appended,
  EventFilter,
  EventRange,
  EventRow,
  EventStore,
  Marks,
  Moment,
  RetentionPolicy,
  SessionQuery,
  StoreJob,
  TimelineQuery,
  Work,
} from '../port.ts'
import { createAccounts } from './accounts/index.ts'
import { createAchievementStore } from './achievement-store.ts'
import { createAnnotations } from './annotations.ts'
import type { Ask } from './auxiliary-tables.ts'
import { backup } from './backup.ts'
import { Checkpoints, IN_USE } from './checkpoint.ts'
import { createConversations } from './conversations/index.ts'
import { type Database, openDatabase, poolUse, runTransaction, type Silences, SNAPSHOT } from './database.ts'
import { readEvents } from './event-reader.ts'
import { formatAddress, toFailure } from './failures.ts'
import { forgottenIn } from './forget.ts'
import { createForgetting } from './forget-api.ts'
import { createGroupCommit } from './group-commit.ts'
import { createJob } from './job.ts'
import { Leads } from './leader-lock.ts'
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
import { redactStored } from './redact-stored.ts'
import { replayAt } from './replay.ts'
import { restore } from './restore.ts'
import { retain } from './retain.ts'
import { Tail } from './tail.ts'
import { createTemplateUses } from './template-uses.ts'
import { readTimeline } from './timeline.ts'
import { createTraceLines } from './traces.ts'
import { createTurns } from './turns.ts'
import { verify } from './verify.ts'
import { Writer } from './writer.ts'

export interface PostgresPlace {
  /** An address of the form `postgres://…`. */
  readonly url: string
  /** The schema of the store: lower-case letters, digits and `_`. */
  readonly schema: string
  /** A partition of a new store holds this many events. Retention by size drops whole partitions. */
  readonly partition?: number | undefined
}

/**
 * Opens or creates the store in one schema of a PostgreSQL database. Any number of processes may have it
 * open.
 */
export async function openPostgresStore(place: PostgresPlace): Promise<Result<EventStore>> {
  return openWith(place, async (database) => {
    await migrate(database, { span: place.partition })
  })
}

/** Restores a backup as a store of its own, in a schema that does not exist yet. */
export const restorePostgresStore = (place: PostgresPlace, file: string): Promise<Result<EventStore>> =>
  openWith(place, async (database) => {
    await restore(database, file)
    await migrate(database)
  })

const SCHEMA = /^[a-z_][a-z0-9_]{0,62}$/

/** Connections for readers. Appends use one of their own, so that readers never block them. */
const READERS = 7

async function openWith(
  { url, schema }: PostgresPlace,
  prepare: (database: Database) => Promise<void>,
): Promise<Result<EventStore>> {
  if (!SCHEMA.test(schema))
    return failure('invalid', `"${schema}" cannot be the name of a schema: use a-z, 0-9 and _.`)
  const where = `${formatAddress(url)} (${schema})`
  const silences: Silences = { count: 0 }
  const database = openDatabase(url, schema, { max: READERS, silences })
  const writing = openDatabase(url, schema, { max: 1, silences })
  try {
    await prepare(database)
    const forgotten = new ForgottenSessions(await forgottenIn(database))
    const tail = new Tail(database, url, await readHead(database), async () =>
      forgotten.replace(await forgottenIn(database)),
    )
    const store = new PostgresStore(where, database, forgotten, {
      writing,
      tail,
      leads: new Leads(url, schema),
    })
    if (!(await rowsAreStale(database))) return success(store)
    const rebuilt = await store.rebuild({ check: false })
    if (rebuilt.ok) return success(store)
    await store.close()
    return rebuilt
  } catch (error) {
    await Promise.all([database.close(), writing.close()])
    return toFailure(error, where)
  }
}

class PostgresStore implements EventStore {
  readonly annotations: EventStore['annotations']
  readonly accounts: EventStore['accounts']
  readonly achievementStore: EventStore['achievementStore']
  readonly templateUses: EventStore['templateUses']
  readonly turns: EventStore['turns']
  readonly traces: EventStore['traces']
  readonly conversations: EventStore['conversations']
  readonly forgetting: EventStore['forgetting']
  readonly #where: string
  readonly #database: Database
  readonly #writing: Database
  readonly #forgotten: ForgottenSessions
  readonly #tail: Tail
  readonly #leads: Leads
  readonly #checkpoints = new Checkpoints(IN_USE)
  readonly #queue: AppendQueue
  readonly #pending = new Set<Promise<unknown>>()
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
    this.#queue = new AppendQueue(createGroupCommit(writer, where, (last) => this.#stored(last)))
    const ask: Ask = (work) => this.#ask(work)
    this.annotations = createAnnotations(database, ask)
    this.achievementStore = createAchievementStore(database, forgotten, ask)
    this.templateUses = createTemplateUses(database, forgotten, ask)
    this.turns = createTurns(database, forgotten, ask)
    this.traces = createTraceLines(database, forgotten, ask)
    this.conversations = createConversations(database, ask, leads)
    this.accounts = createAccounts(database, forgotten, ask)
    this.forgetting = createForgetting(database, forgotten, {
      ask,
      createJob: (work) => createJob(work, () => this.#closing !== undefined),
      settle: () => this.#queue.drain(),
      cleared: () => tail.clear(),
    })
  }

  async append(events: readonly NewEvent[], marks?: Marks): Promise<Result<Appended>> {
    if (this.#closing) return this.#closed()
    const accepted = this.#forgotten.dropForgotten(events)
    const left = events.length - accepted.length
    const refused = left > 0 ? { forgotten: left } : {}
    if (accepted.length === 0 && marks === undefined) {
      const head = await this.head()
      return head.ok ? success({ accepted: 0, duplicates: left, ...refused, last: head.value.last }) : head
    }
    const lines = accepted.map(serializeEvent)
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

  async checkWritable() {
    const head = await this.head()
    return head.ok ? success(null) : head
  }

  read(range: EventRange, filter: EventFilter = {}) {
    return this.#ask(() =>
      this.#database.withConnection((connection) => readEvents(connection, range, filter)),
    )
  }

  subscribe(after: number, signal: AbortSignal) {
    return this.#tail.follow(after, signal)
  }

  noteRow(row: EventRow) {
    this.#tail.note(row)
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
    return this.#ask(() => this.#database.snapshot((connection) => readTimeline(connection, query)))
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

  lead(job: StoreJob, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) {
    return this.#leads.lead(job, work, signal)
  }

  load() {
    return { waiting: this.#queue.waiting, pool: poolUse([this.#database, this.#writing]) }
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

  async redactStored(work: Work = {}) {
    await this.#queue.drain()
    const changed = await this.#ask(() => redactStored(this.#database, this.#job(work)))
    this.#tail.clear()
    return changed
  }

  backup(file: string, { replace = false, ...work }: { readonly replace?: boolean | undefined } & Work = {}) {
    return this.#ask(() => backup(this.#database, file, replace, this.#job(work)))
  }

  verify() {
    return this.#ask(() =>
      this.#database.withoutTimeout((connection) =>
        runTransaction(connection, `${SNAPSHOT} READ ONLY`, () => verify(connection)),
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
    await Promise.all(this.#pending)
    await Promise.all([this.#database.close(), this.#writing.close()])
  }

  /** The caller does not await this. A checkpoint that cannot be written now is written later. */
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
    return createJob(work, () => this.#closing !== undefined)
  }

  async #ask<T>(work: () => Promise<T>): Promise<Result<T>> {
    if (this.#closing) return this.#closed()
    const request = (async () => work())().then(success<T>, (error: unknown) => toFailure(error, this.#where))
    this.#pending.add(request)
    try {
      return await request
    } finally {
      this.#pending.delete(request)
    }
  }

  #closed(): Failure {
    return failure('closed', `The store ${this.#where} is closed.`)
  }
}
