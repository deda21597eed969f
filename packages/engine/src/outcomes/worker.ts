import { workerData } from 'node:worker_threads'
import { createPrices, readCatalogue } from '@panoptes/engine/models'
import { FoldReader, openSources, throughArchive } from '@panoptes/engine/sources'
import { ForgottenSessions } from '@panoptes/engine/store'
import { createStopSignal, type Handlers, lowerPriority, Refused, serve } from '@panoptes/engine/worker-rpc'
import type { Account, Result, StoredEvent } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { ReviewerCalls, WorkerSetup } from './calls.ts'
import { checkClaims } from './claims/check.ts'
import { createLooking } from './claims/file-lookup.ts'
import { carried } from './follow/carried.ts'
import { daysOf } from './follow/days.ts'
import { fingerprintOf } from './follow/fingerprint.ts'
import { type Checked, SourceReader } from './follow/source-reader.ts'
import { ToldEnds } from './follow/told-ends.ts'
import { foldEvents } from './make/index.ts'

lowerPriority()
const setup = workerData as WorkerSetup
readCatalogue(setup.catalogue)
const prices = createPrices(setup.prices)
const by = { zone: setup.zone, markOf: prices.markOf }
const dayOf = daysOf(setup.zone)
const forgotten = new ForgottenSessions(setup.forgotten)
let skills: ReadonlySet<string> = new Set()
const making = (source: string) => ({ source, prices, dayOf, isSkill: (name: string) => skills.has(name) })
const looking = createLooking({
  journals: setup.journals,
  env: setup.env,
  isElsewhere: setup.place?.kind === 'postgres',
})

const { env, place, history } = setup
const folds = new FoldReader(place, history)
const sources = new Map(
  openSources(env, (source, id) => forgotten.has(source, id), place).map((source) => [
    source.name,
    throughArchive(source, history),
  ]),
)
const reader = new SourceReader({ folds, forgotten, by, check })
/** The session whose account is currently being made from the log. */
let folding: ReturnType<typeof foldEvents> | undefined
const reportedEnds = new ToldEnds()

async function check({ source, listed, account, signal }: Checked): Promise<Result<Account>> {
  const from = sources.get(source)
  if (account.claims.length === 0 || from === undefined) return success(account)
  const finished = new Map(account.agents.map((agent) => [agent.agent_id, agent.finished]))
  const checked = await checkClaims({
    account: reportedEnds.seen(account, Date.now()),
    reread: () => from.read(listed, signal),
    looking,
  })
  const agents = checked.agents.map((agent) => ({
    ...agent,
    finished: finished.get(agent.agent_id) === true,
  }))
  return success({ ...checked, agents })
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
  look: (_job, source, patient) => reader.look(source, patient),
  next: async (job) => {
    const stop = createStopSignal(job)
    try {
      return await reader.next(stop.signal)
    } finally {
      stop.end()
    }
  },
  ended: (_job, agents) => {
    reportedEnds.add(agents)
    for (const { source, session_id } of agents) reader.drop(source, session_id)
    return null
  },
  madeOf: (_job, sessions) =>
    sessions.map(({ source, id, of }) => {
      if (reader.has(source, id)) return 'session'
      return forgotten.has(source, id) || reader.isUnchanged(source, id, of) ? 'unchanged' : 'log'
    }),
  more: (_job, source, rows, isFirst) => {
    if (isFirst || folding === undefined) folding = foldEvents(making(source))
    for (const row of rows) folding.hear(JSON.parse(row) as StoredEvent)
    return null
  },
  made: (_job, { source, id, of }, log, before) => {
    const fold = folding ?? foldEvents(making(source))
    folding = undefined
    const session = { source, session_id: id }
    const made: Account = { ...session, fingerprint: of, from: 'log', ...fold.account(session, before?.to) }
    const account = before === null ? made : carried(before.account, made, fold.since(before.to))
    const finalAccount = { ...account, fingerprint: fingerprintOf(account, of, by, log) }
    reader.keep(finalAccount)
    return finalAccount
  },
  forget: (_job, sessions) => {
    for (const session of sessions) forgotten.add(session)
    return null
  },
  close: async () => {
    await folds.close()
    return null
  },
}

serve(calls, (error) =>
  error instanceof Refused
    ? error.failure
    : failure(
        'io',
        `The sessions could not be read: ${error instanceof Error ? error.message : error}. Try again.`,
      ),
)
