import { parseMoment } from '../search-params.ts'
import { type LiveFilter, STATES } from './model/filter.ts'
import { FAMILIES } from './model/names.ts'

/** The address of the Live page: the view, the filter and the open agent. */
export interface LiveSearch {
  readonly view?: 'table'
  readonly state?: (typeof STATES)[number]
  readonly source?: string
  readonly project?: string
  /** The computer. */
  readonly host?: string
  readonly model?: string
  /** Only this session, by its key. */
  readonly session?: string
  readonly agent?: string
  /** The moment to show, in milliseconds. */
  readonly at?: number
}

export function readSearch(raw: Record<string, unknown>): LiveSearch {
  const text = (name: string): string | undefined => {
    const value = raw[name]
    const param = typeof value === 'number' ? String(value) : value
    return typeof param === 'string' && param !== '' ? param.slice(0, 2_048) : undefined
  }
  const state = STATES.find((one) => one === raw.state)
  const model = FAMILIES.find((one) => one === raw.model)
  const at = parseMoment(raw.at)
  const source = text('source')
  const project = text('project')
  const host = text('host')
  const session = text('session')
  const agent = text('agent')
  return {
    ...(raw.view === 'table' ? { view: 'table' } : {}),
    ...(state ? { state } : {}),
    ...(source ? { source } : {}),
    ...(project ? { project } : {}),
    ...(host ? { host } : {}),
    ...(model ? { model } : {}),
    ...(session ? { session } : {}),
    ...(agent ? { agent } : {}),
    ...(at === undefined ? {} : { at }),
  }
}

export const toFilter = (search: LiveSearch): LiveFilter => ({
  state: search.state,
  source: search.source,
  project: search.project,
  host: search.host,
  model: search.model,
  session: search.session,
})
