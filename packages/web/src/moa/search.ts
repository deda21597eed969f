/** What the address of the page says: which turn, of which preset or session, or which preset is worked on. */
export interface MoaSearch {
  readonly turn?: string
  /** Beside a turn the preset whose turns are gone through; alone what narrows the list. */
  readonly preset?: string
  readonly session?: string
  /** The turn that the open one is compared with. */
  readonly against?: string
  readonly tab?: 'presets'
  /** Of presets: the one that is open. */
  readonly open?: string
  /** Of presets: a new one is written. */
  readonly make?: true
}

export type Change = { readonly [K in keyof MoaSearch]?: MoaSearch[K] | undefined }

const TEXTS = ['turn', 'preset', 'session', 'against', 'open'] as const
const LONGEST = 300

export function readSearch(raw: Record<string, unknown>): MoaSearch {
  const text = (name: string): string | undefined => {
    const value = raw[name]
    const said = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    return typeof said === 'string' && said !== '' ? said.slice(0, LONGEST) : undefined
  }
  const chosen = {
    ...Object.fromEntries(TEXTS.map((name) => [name, text(name)])),
    tab: raw.tab === 'presets' ? 'presets' : undefined,
    make: raw.make === true || text('make') === '1' ? true : undefined,
  }
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
}

/** Whose turns are listed, as the server is asked for them. */
export function filterOf({ preset, session }: MoaSearch): string {
  const query = new URLSearchParams()
  if (preset !== undefined) query.set('preset', preset)
  if (session !== undefined) query.set('session', session)
  return query.toString()
}

/** What stays in the address when another turn is opened. */
export const toTurn = ({ preset, session }: MoaSearch, turn: string | undefined): MoaSearch =>
  readSearch({ preset, session, turn })
