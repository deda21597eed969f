import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import { type Handlers, Refused, serve } from '@panoptes/engine/worker-rpc'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Batch, Written } from '../append-queue.ts'
import type { EventFilter, EventRange } from '../port.ts'
import { accountReads, accountWrites } from './accounts/index.ts'
import { achievementReads, achievementWrites } from './achievement-store.ts'
import { markedReads, markedWrites } from './annotations.ts'
import { backup } from './backup.ts'
import { conversationReads } from './conversation-reads.ts'
import { windowReads } from './conversation-window.ts'
import { conversationWrites, epochWrites } from './conversations.ts'
import { toFailure } from './failures.ts'
import { forgetWrites, forgottenIn, pendingIn } from './forget.ts'
import { acquireLock, type Lock } from './lock.ts'
import type { KeeperCalls, ReaderCalls, WorkerSetup, WriterCalls } from './messages.ts'
import { readNumber } from './migrations.ts'
import { openForKeeping, openForReading, openForWriting } from './open-file.ts'
import { Reader } from './reader.ts'
import { dropLeftovers, rebuild, rowsAreStale } from './rebuild.ts'
import { redactStored } from './redact-stored.ts'
import { retain } from './retain.ts'
import { templateUseReads, templateUseWrites } from './template-uses.ts'
import { turnReads, turnWrites } from './turns.ts'
import { Writability } from './writability.ts'
import { baseSeq, lastSeq, Writer } from './writer.ts'

const { role, file } = workerData as WorkerSetup
let longWork: Promise<unknown> = Promise.resolve()

/**
 * Runs long jobs one after another, because they change the same tables. Appends continue between their
 * slices.
 */
function runInTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = longWork.then(work, work)
  longWork = turn.catch(() => undefined)
  return turn
}

function writerHandlers(): Handlers<WriterCalls> {
  let lock: Lock | undefined
  let open: Writer | undefined
  let files: FileIdentity | undefined
  const writability = new Writability(file)
  const writer = (): Writer => {
    if (open === undefined) throw new Error('the store is not open')
    return open
  }
  /** Refuses every change after the file was deleted, because the data would be lost. */
  const requireFile = <H extends object>(handlers: H): H =>
    Object.fromEntries(
      Object.entries(handlers).map(([name, handler]) => [
        name,
        (...args: readonly unknown[]) => {
          files?.check()
          return handler(...args)
        },
      ]),
    ) as H
  return {
    open: () => {
      lock = acquireLock(file)
      try {
        const db = openForWriting(file)
        files = new FileIdentity(file)
        open = new Writer(db, () => files?.check())
      } catch (error) {
        lock.release()
        throw error
      }
      dropLeftovers(open.db)
      return {
        first: baseSeq(open.db) + 1,
        last: open.last,
        stale: rowsAreStale(open.db),
        forgotten: forgottenIn(open.db),
      }
    },
    append: (_job, batches) => {
      // The answer goes out first, because nobody waits for the checkpoint.
      setImmediate(() => open?.checkpoint())
      const written = appendAll(writer(), batches, writability)
      return { written, seq: writer().last, changed: writer().takeChangedAgents() }
    },
    watchAgents: (_job, isWatched) => {
      writer().watchAgents(isWatched)
      return null
    },
    checkWritable: () => {
      files?.check()
      writability.check(writer().db)
      return null
    },
    ...requireFile({
      rebuild: (job, check) => runInTurn(() => rebuild(writer(), check, job)),
      retain: (job, policy) => runInTurn(() => retain(writer(), policy, job)),
      redactStored: (job) => runInTurn(() => redactStored(writer(), job)),
      ...markedWrites(() => writer().db),
      ...accountWrites(() => writer().db),
      ...achievementWrites(() => writer().db),
      ...templateUseWrites(() => writer().db),
      ...turnWrites(() => writer().db),
      ...conversationWrites(() => writer().db),
      ...epochWrites(() => writer().db),
      ...forgetWrites(writer, runInTurn),
    } satisfies Omit<Handlers<WriterCalls>, 'open' | 'append' | 'watchAgents' | 'checkWritable' | 'close'>),
    close: async () => {
      await longWork
      open?.db.close()
      open = undefined
      lock?.release()
      return null
    },
  }
}

/** Commits all batches at once. If that fails, it commits each alone, because a bad one must not fail the others. */
function appendAll(
  writer: Writer,
  batches: readonly Batch[],
  writability: Writability,
): readonly (Written | Failure)[] {
  try {
    const written = writer.append(batches)
    writability.recordSuccess()
    return written
  } catch (error) {
    if (batches.length > 1) return batches.flatMap((batch) => appendAll(writer, [batch], writability))
    return [writability.recordFailure(toFailure(error, file))]
  }
}

function readerHandlers(): Handlers<ReaderCalls> {
  let db: DatabaseSync | undefined
  let open: Reader | undefined
  const opened = (): DatabaseSync => {
    db ??= openForReading(file)
    return db
  }
  const reader = (): Reader => {
    open ??= new Reader(opened(), file)
    return open
  }
  return {
    ...markedReads(opened),
    ...accountReads(opened),
    ...achievementReads(opened),
    ...templateUseReads(opened),
    ...turnReads(opened),
    ...conversationReads(opened),
    ...windowReads(opened),
    forgetting: () => pendingIn(opened()),
    open: () => {
      reader()
      return null
    },
    read: (_job, range: EventRange, filter: EventFilter) => reader().read(range, filter),
    counters: () => reader().counters(),
    agents: (job, query) => reader().agents(query, job.part),
    replayAt: (_job, moment) => reader().replayAt(moment),
    timeline: (_job, query) => reader().timeline(query),
    tools: () => reader().tools(),
    marks: (_job, names) => reader().marks(names),
    aliveCount: () => reader().aliveCount(),
    sessions: (_job, query) => reader().sessions(query),
    findAgents: (_job, ids) => reader().findAgents(ids),
    info: () => reader().info(),
    close: () => {
      db?.close()
      return null
    },
  }
}

function keeperHandlers(): Handlers<KeeperCalls> {
  let db: DatabaseSync | undefined
  const opened = (): DatabaseSync => {
    db ??= openForKeeping(file)
    return db
  }
  return {
    tidy: () => tidy(opened()),
    verify: () => verify(file),
    backup: (job, target, replace) => runInTurn(() => backup(file, target, replace, job)),
    close: async () => {
      await longWork
      db?.close()
      return null
    },
  }
}

const failed = (error: unknown) => toFailure(error, file)

/**
 * The writer continues meanwhile, so each round moves only what arrived during the previous one, which soon
 * is little.
 */
const MOST_ROUNDS = 6

/** Moves the write-ahead log into the file, so that the writer need not stop to do it. */
function tidy(db: DatabaseSync): null {
  const move = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { busy, log, checkpointed } = move.get() ?? {}
    if (busy === 1 || log === checkpointed) break
  }
  return null
}

/**
 * Runs the slow check of the file itself and returns the problems found. It uses a connection of its own with
 * an empty cache and changes nothing, so that the result is the same whoever else has the file open.
 */
function verify(file: string): readonly string[] {
  const db = openForReading(file)
  try {
    const rows = db.prepare('PRAGMA quick_check(20)').all()
    const found = rows.map((row) => String(Object.values(row)[0]))
    db.exec('BEGIN')
    const expected = lastSeq(db) - baseSeq(db)
    const count = readNumber(db, 'SELECT count(*) FROM events')
    const gaps =
      expected === count ? [] : [`the log has ${count} events, but its event numbers imply ${expected}`]
    return [...found.filter((line) => line !== 'ok'), ...gaps]
  } finally {
    db.close()
  }
}

/**
 * The files that one writer holds open. Without the lock file another process could write to the same store.
 */
const ENDINGS = ['', '-wal', '-shm', '.lock']

/**
 * Remembers which files a process opened, to notice when their names lead elsewhere: a deleted file still
 * accepts writes that nobody ever reads. The check takes a few microseconds and runs for every commit.
 */
class FileIdentity {
  readonly #file: string
  readonly #opened = new Map<string, string>()

  constructor(file: string) {
    this.#file = file
    this.check()
  }

  /** Throws when one of the files was deleted, moved or replaced since it was first seen. */
  check(): void {
    for (const ending of ENDINGS) {
      const path = `${this.#file}${ending}`
      const found = fileIdentity(path)
      const opened = this.#opened.get(path)
      if (opened === undefined) {
        if (found !== undefined) this.#opened.set(path, found)
      } else if (found !== opened) throw new Refused(this.#gone(path, found !== undefined))
    }
  }

  #gone(path: string, isReplaced: boolean) {
    const what = isReplaced
      ? 'was replaced by another file'
      : 'was deleted, or its folder was deleted or moved'
    return failure(
      'gone',
      `${path} ${what} while Panoptes was running, so nothing is stored. Put it back and Panoptes recovers. To use other files, end process ${process.pid} and restart: panoptes up`,
    )
  }
}

function fileIdentity(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found && `${found.dev}:${found.ino}`
  } catch {
    // A file took the place of the folder, or the folder may no longer be entered.
    return undefined
  }
}

if (role === 'writer') serve(writerHandlers(), failed)
else if (role === 'reader') serve(readerHandlers(), failed)
else serve(keeperHandlers(), failed)
