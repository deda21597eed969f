import type { CostGroup, EvidenceTier, OutcomeOrNone, SkillVerdict } from '@panoptes/schema'
import { parseSessionKey } from '../sessions/search-params.ts'
import { dayEnd, dayName, dayStart } from './plot/days.ts'

export const TABS = ['overview', 'agents', 'skills', 'claims', 'costs', 'followups'] as const
export type Tab = (typeof TABS)[number]

/** Days including today; the default is a month. */
export const SPANS = ['7', '30', '90', 'all'] as const
export type Span = (typeof SPANS)[number]
const MONTH: Span = '30'

export const OUTCOMES = [
  'functional',
  'partial',
  'scaffolding',
  'fail',
  'stopped',
  'lost',
  'none',
] as const satisfies readonly OutcomeOrNone[]
export const TIERS = ['REAL', 'FROM-JOURNAL', 'ESTIMATE-HTC'] as const satisfies readonly EvidenceTier[]
export const CHECKS = ['fails', 'open', 'holds'] as const
export type Check = (typeof CHECKS)[number]
export const VERDICTS = [
  're-extract',
  'archive',
  'watching',
  'validated',
] as const satisfies readonly SkillVerdict[]
export const GROUPS = [
  'day',
  'project',
  'model',
  'agent',
  'skill',
  'session',
  'source',
] as const satisfies readonly CostGroup[]

/** The address of the page: the tab, the time range and the filters. */
export interface LedgerSearch {
  readonly tab?: Exclude<Tab, 'overview'>
  readonly days?: Exclude<Span, '30'>
  /** Replaces the time range by days, such as 2026-11-16; a single day if the end is missing. */
  readonly from?: string
  readonly to?: string
  readonly source?: string
  readonly project?: string
  /** One session, by its key or its id. */
  readonly session?: string
  readonly model?: string
  readonly type?: string
  readonly outcome?: OutcomeOrNone
  readonly flagged?: true
  readonly tier?: EvidenceTier
  readonly check?: Check
  readonly verdict?: SkillVerdict
  /** The skill whose uses are shown. */
  readonly skill?: string
  readonly by?: CostGroup
  /** On the Claims tab: estimates against actuals. */
  readonly view?: 'calibration'
}

export type Change = { readonly [K in keyof LedgerSearch]?: LedgerSearch[K] | undefined }

const TEXTS = ['source', 'project', 'session', 'model', 'type', 'skill'] as const
const LONGEST = 1_000

export function readSearch(raw: Record<string, unknown>): LedgerSearch {
  const text = (name: string): string | undefined => {
    const value = raw[name]
    const param = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    return typeof param === 'string' && param !== '' ? param.slice(0, LONGEST) : undefined
  }
  const one = <T extends string>(name: string, of: readonly T[]): T | undefined =>
    of.find((value) => value === text(name))
  const day = (name: string): string | undefined => {
    const at = dayStart(text(name) ?? '')
    return at === null ? undefined : dayName(at)
  }
  const from = day('from')
  const tab = one('tab', TABS)
  const days = one('days', SPANS)
  const chosen = {
    tab: tab === 'overview' ? undefined : tab,
    days: days === MONTH ? undefined : days,
    from,
    to: from === undefined ? undefined : day('to'),
    outcome: one('outcome', OUTCOMES),
    flagged: raw.flagged === true || text('flagged') === '1' ? true : undefined,
    tier: one('tier', TIERS),
    check: one('check', CHECKS),
    verdict: one('verdict', VERDICTS),
    by: one('by', GROUPS),
    view: one('view', ['calibration']),
    ...Object.fromEntries(TEXTS.map((name) => [name, text(name)])),
  }
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
}

export const selectedSpan = (search: LedgerSearch): Span => search.days ?? MONTH

/** Whether data may exist outside the requested time. */
export const hasLonger = (search: LedgerSearch): boolean =>
  search.from !== undefined || selectedSpan(search) !== 'all'

/** Midnight at the start of the time range; null if it is unlimited. */
export function spanBegin(span: Span, now: number): number | null {
  if (span === 'all') return null
  const day = new Date(now)
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - (Number(span) - 1))
  return day.getTime()
}

/** The first and the last moment; null if there is none. */
export function timeBounds(
  search: LedgerSearch,
  now: number,
): { readonly begin: number | null; readonly end: number | null } {
  const begin = dayStart(search.from ?? '')
  if (begin === null) return { begin: spanBegin(selectedSpan(search), now), end: null }
  return { begin, end: dayEnd(Math.max(begin, dayStart(search.to ?? '') ?? begin)) }
}

type QueryParams = Readonly<Record<string, string | number | boolean | undefined>>

/** The query parameters for the time range, the source and other filters. */
export function toQueryString(search: LedgerSearch, now: number, more: QueryParams = {}): string {
  const { begin, end } = timeBounds(search, now)
  const { source, session } = sessionIn(search)
  const params: QueryParams = {
    since: begin === null ? undefined : new Date(begin).toISOString(),
    until: end === null ? undefined : new Date(end + 1).toISOString(),
    source,
    project: search.project,
    session,
    ...more,
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) if (value !== undefined) query.set(name, String(value))
  return query.toString()
}

/** Links name a session by its key; a person may type its id alone. */
function sessionIn({ session, source }: LedgerSearch): {
  source: string | undefined
  session: string | undefined
} {
  const named = session === undefined ? null : parseSessionKey(session)
  return named === null ? { source, session } : { source: named.source, session: named.id }
}

/** The filters of a tab besides the time range. */
const OF_TAB: Readonly<Record<Tab, readonly (keyof LedgerSearch)[]>> = {
  overview: [],
  agents: ['model', 'type', 'outcome', 'flagged'],
  skills: ['verdict', 'skill'],
  claims: ['model', 'tier', 'check', 'view'],
  costs: ['model', 'by'],
  followups: [],
}
const OF_ALL = ['source', 'project', 'session'] as const

export const selectedTab = (search: LedgerSearch): Tab => search.tab ?? 'overview'

/** The time range without the source, project and session. */
export const pickTime = ({ days, from, to }: LedgerSearch): LedgerSearch => readSearch({ days, from, to })

/** Another tab keeps the time range and the source, but no filter that only the previous tab has. */
export function toTab(search: LedgerSearch, tab: Tab): LedgerSearch {
  const { source, project, session } = search
  return readSearch({ ...pickTime(search), source, project, session, tab })
}

const SHOWS = ['view', 'by', 'skill'] as const satisfies readonly (keyof LedgerSearch)[]
const filterKeys = (tab: Tab): readonly (keyof LedgerSearch)[] =>
  [...OF_ALL, ...OF_TAB[tab]].filter((name) => !SHOWS.some((one) => one === name))

export const isNarrowed = (search: LedgerSearch): boolean =>
  filterKeys(selectedTab(search)).some((name) => search[name] !== undefined)

/** Removes every filter. */
export const clearFilters = (search: LedgerSearch): Change =>
  Object.fromEntries(filterKeys(selectedTab(search)).map((name) => [name, undefined]))
