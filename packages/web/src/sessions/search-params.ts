import type { SavedQuery } from '@panoptes/schema'
import { parseMoment, parseWholeNumber } from '../search-params.ts'

/** The choices for how far back the list goes, in days including today. */
export const SINCE = [1, 7, 30] as const

/** The choices for the minimum cost of a session, in dollars. */
export const COSTS = [0.1, 1, 5, 20] as const

/** The address of the Sessions page: the filters, the search text, and the open session and message. */
export interface SessionsSearch {
  readonly source?: string
  readonly project?: string
  /** The computer. */
  readonly host?: string
  readonly model?: string
  readonly tool?: string
  readonly tag?: string
  /** Days including today, such as 7d, or a time. */
  readonly since?: string
  readonly until?: string
  readonly errors?: true
  readonly cost?: number
  readonly q?: string
  /** The key of the open session. */
  readonly session?: string
  /** The number of the message to show first. */
  readonly n?: number
}

const NAMED = ['source', 'project', 'host', 'model', 'tool', 'tag'] as const
export type Named = (typeof NAMED)[number]
/** The parameters that filter the list: all except the search text and the open session. */
export const NARROWING = [...NAMED, 'since', 'until', 'errors', 'cost'] as const
const LONGEST = 1_000
const MICRO = 1_000_000

export function readSearch(raw: Record<string, unknown>): SessionsSearch {
  const text = (name: string): string | undefined => {
    const value = raw[name]
    const param = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    return typeof param === 'string' && param !== '' ? param.slice(0, LONGEST) : undefined
  }
  const since = parseDays(raw.since) === null ? parseTime(raw.since) : String(raw.since)
  const until = parseTime(raw.until)
  const session = text('session')
  const cost = typeof raw.cost === 'number' ? raw.cost : 0
  const n = parseWholeNumber(raw.n, 0)
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

/** Reads the 7 in 7d; null for anything else. */
export function parseDays(since: unknown): number | null {
  const days = typeof since === 'string' ? /^([1-9]\d{0,3})d$/.exec(since)?.[1] : undefined
  return days === undefined ? null : Number(days)
}

function parseTime(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const time = parseMoment(new Date(value).getTime())
  return value === '' || time === undefined ? undefined : new Date(time).toISOString()
}

/** Converts the filter to query parameters. Days begin at midnight in the time zone of the browser. */
export function filterQuery(search: SessionsSearch, now: number): string {
  const query = new URLSearchParams()
  for (const name of NAMED) {
    const value = search[name]
    if (value !== undefined) query.set(name, value)
  }
  if (search.errors) query.set('errors', 'true')
  if (search.cost !== undefined) query.set('min_cost_micro_usd', String(Math.round(search.cost * MICRO)))
  if (search.since) query.set('since', spanBegin(search.since, now))
  if (search.until) query.set('until', search.until)
  return query.toString()
}

function spanBegin(since: string, now: number): string {
  const days = parseDays(since)
  if (days === null) return since
  const day = new Date(now)
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - (days - 1))
  return day.toISOString()
}

/** Converts the filter to its saved form. */
export function toSavedQuery(search: SessionsSearch): SavedQuery {
  const { cost, since, until, session: _session, n: _n, ...rest } = search
  const from = parseDays(since) === null && since !== undefined ? Date.parse(since) : since
  return {
    ...rest,
    ...(from === undefined ? {} : { since: from }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
    ...(cost === undefined ? {} : { min_cost_micro_usd: Math.round(cost * MICRO) }),
  }
}

/** Converts a saved filter to parameters. It replaces the current filter completely. */
export function toSearch({ min_cost_micro_usd: micro, ...query }: SavedQuery): SessionsSearch {
  return readSearch({ ...query, ...(micro === undefined ? {} : { cost: micro / MICRO }) })
}

/** Parses the key of a session; null if the text is not one. */
export function parseSessionKey(key: string): { readonly source: string; readonly id: string } | null {
  try {
    const [source, id, ...rest] = key.split('~').map(decodeURIComponent)
    return source && id && rest.length === 0 ? { source, id } : null
  } catch {
    return null
  }
}
