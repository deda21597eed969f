import type { SavedQuery } from '@panoptes/schema'
import { momentIn, wholeIn } from '../address.ts'

/** How far back the list may be asked to go, in days with today. */
export const SINCE = [1, 7, 30] as const

/** What a session cost at least, in dollars. */
export const COSTS = [0.1, 1, 5, 20] as const

/** What the address of the Sessions page says: the filter, what is searched, and which session is open at which message. */
export interface SessionsSearch {
  readonly source?: string
  readonly project?: string
  /** The computer. */
  readonly host?: string
  readonly model?: string
  readonly tool?: string
  readonly tag?: string
  /** Days back with today, such as 7d, or a time. */
  readonly since?: string
  readonly until?: string
  readonly errors?: true
  readonly cost?: number
  readonly q?: string
  /** The open session, by its key. */
  readonly session?: string
  /** The message to show first, by its place. */
  readonly n?: number
}

const NAMED = ['source', 'project', 'host', 'model', 'tool', 'tag'] as const
export type Named = (typeof NAMED)[number]
/** What narrows the list: all that is in the address but the words and the open session. */
export const NARROWING = [...NAMED, 'since', 'until', 'errors', 'cost'] as const
const LONGEST = 1_000
const MICRO = 1_000_000

export function readSearch(raw: Record<string, unknown>): SessionsSearch {
  const text = (name: string): string | undefined => {
    const value = raw[name]
    const said = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    return typeof said === 'string' && said !== '' ? said.slice(0, LONGEST) : undefined
  }
  const since = daysIn(raw.since) === null ? timeOf(raw.since) : String(raw.since)
  const until = timeOf(raw.until)
  const session = text('session')
  const cost = typeof raw.cost === 'number' ? raw.cost : 0
  const n = wholeIn(raw.n, 0)
  const texts = [...NAMED, 'q' as const].map((name) => [name, text(name)] as const)
  return {
    ...Object.fromEntries(texts.filter(([, value]) => value !== undefined)),
    ...(since ? { since } : {}),
    ...(until ? { until } : {}),
    ...(raw.errors === true || raw.errors === 1 ? { errors: true } : {}),
    ...(cost > 0 && cost < MICRO ? { cost } : {}),
    ...(session ? { session } : {}),
    ...(session && n !== undefined ? { n } : {}),
  }
}

export const isNarrowed = (search: SessionsSearch): boolean =>
  NARROWING.some((name) => search[name] !== undefined)

/** 7 of 7d. */
export function daysIn(since: unknown): number | null {
  const days = typeof since === 'string' ? /^([1-9]\d{0,3})d$/.exec(since)?.[1] : undefined
  return days === undefined ? null : Number(days)
}

function timeOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const time = momentIn(new Date(value).getTime())
  return value === '' || time === undefined ? undefined : new Date(time).toISOString()
}

/** The filter as the server is asked for it. Days begin at midnight here. */
export function filterQuery(search: SessionsSearch, now: number): string {
  const query = new URLSearchParams()
  for (const name of NAMED) {
    const value = search[name]
    if (value !== undefined) query.set(name, value)
  }
  if (search.errors) query.set('errors', 'true')
  if (search.cost !== undefined) query.set('min_cost_micro_usd', String(Math.round(search.cost * MICRO)))
  if (search.since) query.set('since', beginOf(search.since, now))
  if (search.until) query.set('until', search.until)
  return query.toString()
}

function beginOf(since: string, now: number): string {
  const days = daysIn(since)
  if (days === null) return since
  const day = new Date(now)
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - (days - 1))
  return day.toISOString()
}

/** The filter as it is kept under a name. */
export function savedOf(search: SessionsSearch): SavedQuery {
  const { cost, since, until, session: _session, n: _n, ...rest } = search
  const from = daysIn(since) === null && since !== undefined ? Date.parse(since) : since
  return {
    ...rest,
    ...(from === undefined ? {} : { since: from }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
    ...(cost === undefined ? {} : { min_cost_micro_usd: Math.round(cost * MICRO) }),
  }
}

/** A kept filter as this page can show it; nothing of the one before stays. */
export function searchOf({ min_cost_micro_usd: micro, ...query }: SavedQuery): SessionsSearch {
  return readSearch({ ...query, ...(micro === undefined ? {} : { cost: micro / MICRO }) })
}

/** The session that a key in the address names; null where the text is no key. */
export function sessionOf(key: string): { readonly source: string; readonly id: string } | null {
  try {
    const [source, id, ...rest] = key.split('~').map(decodeURIComponent)
    return source && id && rest.length === 0 ? { source, id } : null
  } catch {
    return null
  }
}
