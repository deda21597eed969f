/** How far back the list goes, where that is narrowed. */
export const SINCE = ['1d', '7d', '30d'] as const
export type Since = (typeof SINCE)[number]

/** What the address of the Sessions page says: the filter, what is searched, and which session is open at which message. */
export interface SessionsSearch {
  readonly source?: string
  readonly project?: string
  readonly model?: string
  readonly since?: Since
  readonly errors?: true
  readonly q?: string
  /** The open session, by its key. */
  readonly session?: string
  /** The message to show first, by its place. */
  readonly n?: number
}

export function readSearch(raw: Record<string, unknown>): SessionsSearch {
  const text = (name: string): string | undefined => {
    const value = raw[name]
    const said = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    return typeof said === 'string' && said !== '' ? said.slice(0, 1_000) : undefined
  }
  const since = SINCE.find((one) => one === raw.since)
  const source = text('source')
  const project = text('project')
  const model = text('model')
  const q = text('q')
  const session = text('session')
  const n = Number(raw.n)
  return {
    ...(source ? { source } : {}),
    ...(project ? { project } : {}),
    ...(model ? { model } : {}),
    ...(since ? { since } : {}),
    ...(raw.errors === true || raw.errors === 1 ? { errors: true } : {}),
    ...(q ? { q } : {}),
    ...(session ? { session } : {}),
    ...(session && raw.n !== undefined && Number.isSafeInteger(n) && n >= 0 ? { n } : {}),
  }
}

export const isNarrowed = (search: SessionsSearch): boolean =>
  [search.source, search.project, search.model, search.since, search.errors].some((one) => one !== undefined)

const DAYS: Record<Since, number> = { '1d': 0, '7d': 6, '30d': 29 }

/** The filter as the server is asked for it. Days begin at midnight here. */
export function filterQuery(search: SessionsSearch, now: number): string {
  const query = new URLSearchParams()
  for (const name of ['source', 'project', 'model'] as const) {
    const value = search[name]
    if (value !== undefined) query.set(name, value)
  }
  if (search.errors) query.set('errors', 'true')
  if (search.since) {
    const day = new Date(now)
    day.setHours(0, 0, 0, 0)
    day.setDate(day.getDate() - DAYS[search.since])
    query.set('since', day.toISOString())
  }
  return query.toString()
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
