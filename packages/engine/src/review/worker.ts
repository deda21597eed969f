import { workerData } from 'node:worker_threads'
import { ForgottenSessions } from '@panoptes/engine/ledger'
import { createPrices, readCatalogue } from '@panoptes/engine/models'
import type { Listed, SessionSource } from '@panoptes/engine/sources'
import { giveWay, type Handlers, Refused, serve, stoppedSignal } from '@panoptes/engine/threads'
import type { Account, Result, StoredEvent } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { ReviewerCalls, WorkerSetup } from './calls.ts'
import { checkClaims, createLooking } from './claims/index.ts'
import { daysOf } from './follow/days.ts'
import { Ends } from './follow/ends.ts'
import { fingerprintOf } from './follow/fingerprint.ts'
import { markOf, SourceReader } from './follow/source-reader.ts'
import { accountOfEvents, accountOfSession } from './make/index.ts'

giveWay()
const setup = workerData as WorkerSetup
readCatalogue(setup.catalogue)
const prices = createPrices(setup.prices)
const by = { zone: setup.zone, markOf: prices.markOf }
const dayOf = daysOf(setup.zone)
const forgotten = new ForgottenSessions(setup.forgotten)
let skills: ReadonlySet<string> = new Set()
const making = (source: string) => ({ source, prices, dayOf, isSkill: (name: string) => skills.has(name) })
const looking = createLooking({ journals: setup.journals, env: setup.env })

const reader = new SourceReader({ env: setup.env, forgotten, by, make })
/** Events of the one session that is being made from the log. */
let rows: string[] = []

async function make(source: SessionSource, listed: Listed, signal: AbortSignal): Promise<Result<Account>> {
  const ends = new Ends(source.name)
  const made = await accountOfSession({
    listed,
    records: ends.watch(source.read(listed, signal)),
    making: making(source.name),
  })
  if (!made.ok || signal.aborted) return made
  const told = ends.told(made.value)
  const checked =
    told.claims.length === 0
      ? told
      : await checkClaims({ account: told, reread: () => source.read(listed, signal), looking })
  return success({ ...checked, fingerprint: fingerprintOf(checked, markOf(listed), by) })
}

function* events(texts: readonly string[]): Generator<StoredEvent> {
  for (const text of texts) yield JSON.parse(text) as StoredEvent
}

const calls: Handlers<ReviewerCalls> = {
  know: (_job, source, accounts) => {
    reader.know(source, accounts)
    return null
  },
  skills: (_job, names) => {
    skills = new Set(names)
    return null
  },
  look: async (job, source, patient) => {
    const stop = stoppedSignal(job)
    try {
      return await reader.look(source, patient, stop.signal)
    } finally {
      stop.end()
    }
  },
  next: async (job) => {
    const stop = stoppedSignal(job)
    try {
      return await reader.next(stop.signal)
    } finally {
      stop.end()
    }
  },
  madeOf: (_job, sessions) =>
    sessions.map(({ source, id, of }) => {
      if (reader.has(source, id)) return 'session'
      return forgotten.has(source, id) || reader.isUnchanged(source, id, of) ? 'unchanged' : 'log'
    }),
  more: (_job, some) => {
    rows.push(...some)
    return null
  },
  made: (_job, { source, id, of }) => {
    const told = rows
    rows = []
    const account = accountOfEvents({
      source,
      session_id: id,
      events: events(told),
      fingerprint: of,
      making: making(source),
    })
    const kept = { ...account, fingerprint: fingerprintOf(account, of, by) }
    reader.keep(kept)
    return kept
  },
  forget: (_job, sessions) => {
    for (const session of sessions) forgotten.add(session)
    return null
  },
  close: () => null,
}

serve(calls, (error) =>
  error instanceof Refused
    ? error.failure
    : failure(
        'io',
        `The sessions could not be read: ${error instanceof Error ? error.message : error}. Try again.`,
      ),
)
