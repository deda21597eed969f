import type { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import { type Handlers, serve } from '@panoptes/engine/threads'
import type { Batch } from '../append-queue.ts'
import type { EventFilter, EventRange } from '../port.ts'
import { accountReads, accountWrites } from './accounts/index.ts'
import { achievedReads, achievedWrites } from './achieved.ts'
import { backup } from './backup.ts'
import { epochWrites } from './chat-epochs.ts'
import { conversationReads } from './conversation-reads.ts'
import { windowReads } from './conversation-window.ts'
import { conversationWrites } from './conversations.ts'
import { failureOf } from './failures.ts'
import { forgetWrites, forgottenIn, pendingIn } from './forget.ts'
import { acquireLock, type Lock } from './lock.ts'
import { markedReads, markedWrites } from './marked.ts'
import type { KeeperCalls, ReaderCalls, WorkerSetup, WriterCalls } from './messages.ts'
import { openForKeeping, openForReading, openForWriting } from './open-file.ts'
import { Reader } from './reader.ts'
import { dropLeftovers, rebuild, rowsAreStale } from './rebuild.ts'
import { retain } from './retain.ts'
import { templatedReads, templatedWrites } from './templated.ts'
import { tidy } from './tidy.ts'
import { turnReads, turnWrites } from './turns.ts'
import { verify } from './verify.ts'
import { baseSeq, Writer } from './writer.ts'

const { role, file } = workerData as WorkerSetup
let longWork: Promise<unknown> = Promise.resolve()

/** Long jobs change the same tables, so they take turns; appends go on between their slices. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = longWork.then(work, work)
  longWork = turn.catch(() => undefined)
  return turn
}

function writerHandlers(): Handlers<WriterCalls> {
  let lock: Lock | undefined
  let open: Writer | undefined
  const writer = (): Writer => {
    if (open === undefined) throw new Error('the ledger is not open')
    return open
  }
  return {
    open: () => {
      lock = acquireLock(file)
      try {
        open = new Writer(openForWriting(file))
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
      // Nobody waits for it: the answer goes out first.
      setImmediate(() => open?.checkpoint())
      try {
        return writer().append(batches)
      } catch (error) {
        if (batches.length === 1) return [failureOf(error, file)]
        return batches.map((batch) => appendAlone(writer(), batch))
      }
    },
    rebuild: (job, check) => inTurn(() => rebuild(writer(), check, job)),
    retain: (job, policy) => inTurn(() => retain(writer(), policy, job)),
    ...markedWrites(() => writer().db),
    ...accountWrites(() => writer().db),
    ...achievedWrites(() => writer().db),
    ...templatedWrites(() => writer().db),
    ...turnWrites(() => writer().db),
    ...conversationWrites(() => writer().db),
    ...epochWrites(() => writer().db),
    ...forgetWrites(writer, inTurn),
    close: async () => {
      await longWork
      open?.db.close()
      open = undefined
      lock?.release()
      return null
    },
  }
}

/** One caller's bad batch must not fail the others that were merged with it. */
function appendAlone(writer: Writer, batch: Batch) {
  try {
    const [written] = writer.append([batch])
    return written ?? failureOf(new Error('nothing was written'), file)
  } catch (error) {
    return failureOf(error, file)
  }
}

function readerHandlers(): Handlers<ReaderCalls> {
  let db: DatabaseSync | undefined
  let open: Reader | undefined
  const reader = (): Reader => {
    if (open === undefined) throw new Error('the ledger is not open')
    return open
  }
  const opened = (): DatabaseSync => {
    if (db === undefined) throw new Error('the ledger is not open')
    return db
  }
  return {
    ...markedReads(opened),
    ...accountReads(opened),
    ...achievedReads(opened),
    ...templatedReads(opened),
    ...turnReads(opened),
    ...conversationReads(opened),
    ...windowReads(opened),
    forgetting: () => pendingIn(opened()),
    open: () => {
      db = openForReading(file)
      open = new Reader(db, file)
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
    verify: () => verify(opened()),
    backup: (job, target, replace) => inTurn(() => backup(file, target, replace, job)),
    close: async () => {
      await longWork
      db?.close()
      return null
    },
  }
}

const failed = (error: unknown) => failureOf(error, file)
if (role === 'writer') serve(writerHandlers(), failed)
else if (role === 'reader') serve(readerHandlers(), failed)
else serve(keeperHandlers(), failed)
