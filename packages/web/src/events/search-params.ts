import { parseWholeNumber } from '../search-params.ts'
import type { Filter } from './filter.ts'

/** The address of the Events page: the filter and the open event. */
export interface EventsSearch {
  readonly kind?: string
  readonly source?: string
  readonly session?: string
  readonly agent?: string
  readonly text?: string
  readonly failed?: true
  readonly event?: number
}

export function readSearch(raw: Record<string, unknown>): EventsSearch {
  const text = (name: string): string | undefined => {
    const value = raw[name]
    const param = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    return typeof param === 'string' && param !== '' ? param.slice(0, 512) : undefined
  }
  const failed = raw.failed === true || raw.failed === 1
  return dropAbsent({
    kind: text('kind'),
    source: text('source'),
    session: text('session'),
    agent: text('agent'),
    text: text('text')?.slice(0, 200),
    failed: failed ? true : undefined,
    event: parseWholeNumber(raw.event, 1),
  })
}

export function toFilter(search: EventsSearch): Filter {
  const kinds = search.kind?.split(',').filter((kind) => kind !== '')
  return dropAbsent({
    kinds: kinds && kinds.length > 0 ? kinds : undefined,
    source: search.source,
    session: search.session,
    agent: search.agent,
    text: search.text,
    failed: search.failed,
  })
}

type DefinedFields<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

const dropAbsent = <T extends object>(value: T): DefinedFields<T> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as DefinedFields<T>
