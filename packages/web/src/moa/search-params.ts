/** The address of the MoA page: the turn, the filters, or the preset being edited. */
export interface MoaSearch {
  readonly turn?: string
  /** With a turn, the preset whose turns Newer and Older visit; without one, the filter of the list. */
  readonly preset?: string
  readonly session?: string
  /** The turn that the open one is compared with. */
  readonly against?: string
  readonly tab?: 'presets'
  /** The open preset. */
  readonly open?: string
  /** Creates a new preset. */
  readonly make?: true
}

export type Change = { readonly [K in keyof MoaSearch]?: MoaSearch[K] | undefined }

const TEXTS = ['turn', 'preset', 'session', 'against', 'open'] as const
const LONGEST = 300

export function readSearch(raw: Record<string, unknown>): MoaSearch {
  const text = (name: string): string | undefined => {
    const value = raw[name]
    const param = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    return typeof param === 'string' && param !== '' ? param.slice(0, LONGEST) : undefined
  }
  const chosen = {
    ...Object.fromEntries(TEXTS.map((name) => [name, text(name)])),
    tab: raw.tab === 'presets' ? 'presets' : undefined,
    make: raw.make === true || text('make') === '1' ? true : undefined,
  }
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
}

/** The query parameters of the list of turns. */
export function toQueryString({ preset, session }: MoaSearch): string {
  const query = new URLSearchParams()
  if (preset !== undefined) query.set('preset', preset)
  if (session !== undefined) query.set('session', session)
  return query.toString()
}

/** Keeps the filters when another turn is opened. */
export const toTurn = ({ preset, session }: MoaSearch, turn: string | undefined): MoaSearch =>
  readSearch({ preset, session, turn })
