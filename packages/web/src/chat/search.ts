/** What the address of the page says: which conversation, and which message of it. */
export interface ChatSearch {
  readonly c?: string
  /** The message that is shown. */
  readonly m?: string
  /** What conversations are looked for by. */
  readonly q?: string
  /** A new conversation is begun. */
  readonly new?: true
}

export type Change = { readonly [K in keyof ChatSearch]?: ChatSearch[K] | undefined }

const LONGEST = 300

export function readSearch(raw: Record<string, unknown>): ChatSearch {
  const text = (name: string): string | undefined => {
    const value = raw[name]
    const said = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    return typeof said === 'string' && said !== '' ? said.slice(0, LONGEST) : undefined
  }
  const isNew = raw.new === true || text('new') === '1' || text('new') === 'true'
  const c = isNew ? undefined : text('c')
  const chosen = {
    c,
    m: c === undefined ? undefined : text('m'),
    q: text('q'),
    new: isNew ? true : undefined,
  }
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined))
}
