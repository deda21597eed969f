import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import type { Paths } from '@panoptes/engine/home'
import { bypassIn } from '@panoptes/engine/markers'
import { openSources, type ReadSessions } from '@panoptes/engine/sources'
import {
  type AccountFilter,
  type Accounts,
  type EventStore,
  ForgottenSessions,
  type StoreLocation,
} from '@panoptes/engine/store'
import type { Claim, Config, LedgerOverview, Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { createBudgets } from './budgets/budgets.ts'
import { computeCalibration } from './claims/calibration.ts'
import { Bypassed } from './follow/bypassed.ts'
import { Following } from './follow/following.ts'
import { Keeping } from './follow/keep.ts'
import { OpenSessions } from './follow/open-sessions.ts'
import { createReviewer } from './follow/reviewer.ts'
import { Touched } from './follow/touched.ts'
import { type Pacing, watchChanges } from './follow/watching.ts'
import { Journals } from './journals/journals.ts'
import type { Review } from './outcomes.ts'
import { skillNames } from './skills/names.ts'
import { createSkills } from './skills/skills.ts'

export interface ReviewOptions {
  readonly store: EventStore
  /** Reads the sessions of every agent. */
  readonly sessions: ReadSessions
  readonly config: Config
  readonly paths: Pick<Paths, 'journals' | 'prices' | 'skillsReview'> & Partial<Pick<Paths, 'history'>>
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** The location of the event store. A shared one also stores everyone's sessions. */
  readonly place?: StoreLocation | undefined
  /** The time zone that determines days; defaults to that of this computer. */
  readonly zone?: string | undefined
  readonly now?: (() => number) | undefined
  /** Called when something could not be read or written, once as long as the reason is the same. */
  readonly problem?: ((reason: string) => void) | undefined
  /** Called with the reason when the user's command for budgets failed. */
  readonly commandFailed?: ((reason: string) => void) | undefined
  /** How many sessions with new events are held in memory; the others are found in the log. */
  readonly mostWaiting?: number | undefined
  /** How soon changes are read and journals rewritten; defaults to the usual pace. */
  readonly pacing?: (Pacing & { readonly journalRestMs: number }) | undefined
}

const MOST_NAMESAKES = 1_000
const MOST_PROJECTS = 1_000

export async function openReview(options: ReviewOptions): Promise<Result<Review>> {
  const { store, sessions, config, paths } = options
  const { accounts } = store
  const env = options.env ?? process.env
  const now = options.now ?? Date.now
  const zone = options.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const stored = await store.forgetting.forgotten()
  if (!stored.ok) return stored
  const forgotten = new ForgottenSessions(stored.value)
  const isShared = options.place?.kind === 'postgres'
  const names = openSources(env, undefined, options.place).map(({ name }) => name)
  const reviewer = createReviewer(
    () => ({
      env: { ...env },
      place: options.place,
      history: isShared ? undefined : paths.history,
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
    marks: (marks) => store.marks(marks),
    mark: (marks) => store.append([], marks),
    namesakes: (sessions) => findNamesakes(store, names, sessions),
    now,
    restMs: options.pacing?.journalRestMs,
  })
  const open = new OpenSessions()
  const bypassed = new Bypassed(store, bypassIn(env))
  const priced = hash('sha256', JSON.stringify([config.prices, changedAt(paths.prices)]), 'base64url')
  const bypass = bypassed.forget.bind(bypassed)
  const touched = new Touched(store, `${zone} ${priced}`, bypass, options.mostWaiting)
  let unwatch: (() => void) | undefined
  const isFollowing = () => unwatch !== undefined
  const keeping = new Keeping({ store, journals, open, bypassed, now, judged: isFollowing })
  const append = store.append.bind(store)
  const budgets = createBudgets({
    accounts,
    append,
    rules: config.budgets,
    env: options.env,
    now,
    failed: options.commandFailed,
  })
  const projects = projectsOf(store, isShared)
  const following = new Following({
    store,
    reviewer,
    journals,
    touched,
    keeping,
    open,
    sources: names,
    skills: createSkillNames({ store, env, config, isShared }),
    now,
    changed: () => budgets.afterChange(),
    problem: (reason) => options.problem?.(reason),
  })
  const refresh: Review['refresh'] = async (signal) => {
    const read = await sessions.refresh(signal)
    if (!read.ok) return read
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
    overview: (filter) => readOverview(accounts, filter, following.reading),
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
      const estimates = await readEstimates(accounts, filter)
      if (!estimates.ok) return estimates
      const { measured, open: unmeasured } = estimates.value
      return success({ ...computeCalibration(measured), open: unmeasured })
    },
    reading: () => following.reading,
    refresh,
    follow: () => {
      // Another process may have followed meanwhile.
      if (unwatch === undefined) following.knowNothing()
      unwatch ??= watchChanges({ store, sessions, following, touched, pacing: options.pacing })
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
        const result = await following.forget(sessions)
        return result.ok ? journals.forget(sessions) : result
      }),
    close: async () => {
      unwatch?.()
      await following.end()
      await budgets.stop()
      await reviewer.close()
    },
  })
}

export interface SkillNamesSetup {
  /** Without it, skills of projects are not found. */
  readonly store: Pick<EventStore, 'sessions'> | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly config: Config
  readonly isShared: boolean
}

/** Returns the names of the skills on this computer, which slash commands of sessions may refer to. */
export const createSkillNames = ({ store, env, config, isShared }: SkillNamesSetup) =>
  skillNames({ env, projects: projectsOf(store, isShared), folders: config.skills.folders })

/** Sessions reported to a hub are on other computers, so their folders are not searched. */
const projectsOf = (store: SkillNamesSetup['store'], isShared: boolean) => async () =>
  isShared || store === undefined ? success([]) : listFolders(store)

/** Returns the folders of sessions, newest first. */
async function listFolders(store: Pick<EventStore, 'sessions'>): Promise<Result<readonly string[]>> {
  const page = await store.sessions({ limit: MOST_PROJECTS })
  if (!page.ok) return page
  return success([...new Set(page.value.value.flatMap(({ cwd }) => (cwd === null ? [] : [cwd])))])
}

/** Finds sessions with the same ids in other sources. */
async function findNamesakes(
  store: Pick<EventStore, 'sessions'>,
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
    const page = await store.sessions({ session: id, limit: MOST_NAMESAKES })
    if (!page.ok) return page
    for (const { source, session_id } of page.value.value) add({ source, id: session_id })
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

const MOST_FLAGGED = 20

/** The head of the Ledger page. */
async function readOverview(
  accounts: Pick<Accounts, 'totals' | 'flagged'>,
  filter: AccountFilter,
  reading: LedgerOverview['reading'],
): Promise<Result<LedgerOverview>> {
  const [totals, flagged] = await Promise.all([
    accounts.totals(filter),
    accounts.flagged({ ...filter, limit: MOST_FLAGGED }),
  ])
  if (!totals.ok) return totals
  if (!flagged.ok) return flagged
  const { cost_unknown: _, ...sums } = totals.value
  return success({ ...sums, flagged: [...flagged.value.rows], reading })
}

const PAGE = 1_000
/** The newest estimates show the current calibration. */
const MOST = 10_000

/** Returns the measured estimates and the number of unmeasured ones. */
async function readEstimates(
  accounts: Pick<Accounts, 'claims'>,
  filter: AccountFilter,
): Promise<Result<{ readonly measured: readonly Claim[]; readonly open: number }>> {
  const measured: Claim[] = []
  for (let offset = 0; offset < MOST; offset += PAGE) {
    const page = await accounts.claims({ ...filter, measured: true, limit: PAGE, offset })
    if (!page.ok) return page
    measured.push(...page.value.rows)
    if (page.value.rows.length < PAGE) break
  }
  const rest = await accounts.claims({ ...filter, measured: false, limit: 1 })
  return rest.ok ? success({ measured, open: rest.value.total }) : rest
}
