import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import type { Paths } from '@panoptes/engine/home'
import { ForgottenSessions, type Ledger, type LedgerPlace } from '@panoptes/engine/ledger'
import { openSources } from '@panoptes/engine/sources'
import { bypassIn } from '@panoptes/engine/stated'
import type { Config, Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { createBudgets } from './budgets/index.ts'
import { calibrationOf } from './claims/index.ts'
import { Bypassed } from './follow/bypassed.ts'
import { Following } from './follow/following.ts'
import { Keeping } from './follow/keep.ts'
import { OpenSessions } from './follow/open-sessions.ts'
import { reviewerOnDemand } from './follow/reviewer.ts'
import { Touched } from './follow/touched.ts'
import { type Pacing, watchChanges } from './follow/watching.ts'
import { Journals } from './journals/journals.ts'
import { estimatesOf } from './measured.ts'
import { overviewOf } from './overview.ts'
import type { Review } from './review.ts'
import { createSkills } from './skills/index.ts'
import { skillNames } from './skills/names.ts'

export interface ReviewOptions {
  readonly ledger: Ledger
  readonly config: Config
  readonly paths: Pick<Paths, 'journals' | 'prices' | 'skillsReview'>
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Where the ledger is: one that many share has the sessions of all of them beside it. */
  readonly place?: LedgerPlace | undefined
  /** By whose clock a day is told; that of this computer where nobody says. */
  readonly zone?: string | undefined
  readonly now?: (() => number) | undefined
  /** Told when something could not be read or written, once as long as it is the same. */
  readonly problem?: ((reason: string) => void) | undefined
  /** Why a person's own command for budgets failed. */
  readonly commandFailed?: ((reason: string) => void) | undefined
  /** So many sessions that got events are held in memory; the others are found in the log. */
  readonly mostWaiting?: number | undefined
  /** How soon changes are read, and journals written again; the usual pace where nobody says. */
  readonly pacing?: (Pacing & { readonly journalRestMs: number }) | undefined
}

const MOST_NAMESAKES = 1_000
const MOST_PROJECTS = 1_000

export async function openReview(options: ReviewOptions): Promise<Result<Review>> {
  const { ledger, config, paths } = options
  const { accounts } = ledger
  const env = options.env ?? process.env
  const now = options.now ?? Date.now
  const zone = options.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const known = await ledger.forgetting.forgotten()
  if (!known.ok) return known
  const forgotten = new ForgottenSessions(known.value)
  const sources = openSources(env, undefined, options.place)
  const names = sources.map(({ name }) => name)
  const reviewer = reviewerOnDemand(
    () => ({
      env: { ...env },
      place: options.place,
      prices: config.prices,
      catalogue: paths.prices,
      zone,
      forgotten: forgotten.all(),
      journals: paths.journals,
    }),
    () => following.knowNothing(),
  )
  const journals = new Journals({
    folder: paths.journals,
    accounts,
    marks: (marks) => ledger.marks(marks),
    mark: (marks) => ledger.append([], marks),
    namesakes: (sessions) => namesakes(ledger, names, sessions),
    now,
    restMs: options.pacing?.journalRestMs,
  })
  const open = new OpenSessions()
  const bypassed = new Bypassed(ledger, bypassIn(env))
  const priced = hash('sha256', JSON.stringify([config.prices, changedAt(paths.prices)]), 'base64url')
  const bypass = bypassed.forget.bind(bypassed)
  const touched = new Touched(ledger, `${zone} ${priced}`, bypass, options.mostWaiting)
  let unwatch: (() => void) | undefined
  const isFollowing = () => unwatch !== undefined
  const keeping = new Keeping({ ledger, journals, open, bypassed, now, judged: isFollowing })
  const append = ledger.append.bind(ledger)
  const budgets = createBudgets({
    accounts,
    append,
    rules: config.budgets,
    env: options.env,
    now,
    failed: options.commandFailed,
  })
  // Those that a hub is told of are on other computers.
  const projects = async () => (options.place?.kind === 'postgres' ? success([]) : foldersOf(ledger))
  const following = new Following({
    ledger,
    reviewer,
    journals,
    touched,
    keeping,
    open,
    sources: names,
    skills: skillNames({ env, projects, folders: config.skills.folders }),
    now,
    changed: () => budgets.afterChange(),
    problem: (reason) => options.problem?.(reason),
  })
  const refresh: Review['refresh'] = (signal) => {
    following.markAll()
    return following.run(false, signal)
  }
  const skills = createSkills({
    accounts,
    append,
    rules: config.skills,
    env,
    doneFile: paths.skillsReview,
    projects,
    upToDate: () => refresh(),
    now,
  })

  return success({
    ...skills,
    budgets: () => budgets.states(),
    overview: (filter) => overviewOf(accounts, filter, following.reading),
    agents: async (query) => {
      const found = await accounts.agents(query)
      return found.ok ? success({ total: found.value.total, agents: [...found.value.rows] }) : found
    },
    claims: async (query) => {
      const found = await accounts.claims(query)
      return found.ok ? success({ total: found.value.total, claims: [...found.value.rows] }) : found
    },
    skillUses: async (query) => {
      const found = await accounts.skillUses(query)
      return found.ok ? success({ total: found.value.total, uses: [...found.value.rows] }) : found
    },
    followUps: async (query) => {
      const found = await accounts.followUps(query)
      return found.ok ? success({ total: found.value.total, followups: [...found.value.rows] }) : found
    },
    costs: (query) => accounts.costs(query),
    outcomes: (filter) => accounts.outcomes(filter),
    calibration: async (filter) => {
      const estimates = await estimatesOf(accounts, filter)
      if (!estimates.ok) return estimates
      const { measured, open: unmeasured } = estimates.value
      return success({ ...calibrationOf(measured), open: unmeasured })
    },
    reading: () => following.reading,
    refresh,
    follow: () => {
      unwatch ??= watchChanges({ ledger, sources, following, touched, pacing: options.pacing })
      budgets.follow()
      return () => {
        unwatch?.()
        unwatch = undefined
        budgets.unfollow()
      }
    },
    forget: (sessions) =>
      following.alone(async () => {
        for (const session of sessions) forgotten.add(session)
        const told = await following.forget(sessions)
        return told.ok ? journals.forget(sessions) : told
      }),
    close: async () => {
      unwatch?.()
      await following.end()
      await budgets.stop()
      await reviewer.end()
    },
  })
}

/** Where sessions were at work, the newest first. */
async function foldersOf(ledger: Pick<Ledger, 'sessions'>): Promise<Result<readonly string[]>> {
  const told = await ledger.sessions({ limit: MOST_PROJECTS })
  if (!told.ok) return told
  return success([...new Set(told.value.value.flatMap(({ cwd }) => (cwd === null ? [] : [cwd])))])
}

/** Sessions of the same names in other sources. */
async function namesakes(
  ledger: Pick<Ledger, 'sessions'>,
  sources: readonly string[],
  sessions: readonly SessionRef[],
): Promise<Result<readonly SessionRef[]>> {
  const own = new Set(sessions.map(({ source, id }) => JSON.stringify([source, id])))
  const found = new Map<string, SessionRef>()
  const add = (ref: SessionRef) => {
    const key = JSON.stringify([ref.source, ref.id])
    if (!own.has(key)) found.set(key, ref)
  }
  for (const id of new Set(sessions.map((session) => session.id))) {
    for (const source of sources) add({ source, id })
    const told = await ledger.sessions({ session: id, limit: MOST_NAMESAKES })
    if (!told.ok) return told
    for (const { source, session_id } of told.value.value) add({ source, id: session_id })
  }
  return success([...found.values()])
}

function changedAt(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  } catch {
    return 0
  }
}
