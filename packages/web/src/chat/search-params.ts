/** The chat page's address: the conversation and a message in it. */
export interface ChatSearch {
  readonly c?: string
  /** The message to scroll to. */
  readonly m?: string
  /** The search text of the conversation list. */
  readonly q?: string
  /** Starts a new conversation. */
  readonly new?: true
}

export type Change = { readonly [K in keyof ChatSearch]?: ChatSearch[K] | undefined }

const LONGEST = 300

export function readSearch(raw: Record<string, unknown>): ChatSearch {
  const text = (name: string): string | undefined => {
    const value = raw[name]
    const param = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
    return typeof param === 'string' && param !== '' ? param.slice(0, LONGEST) : undefined
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
