/** One agent among all: identity is source, session and id. */
export interface AgentRef {
  readonly source: string
  readonly session_id: string
  readonly id: string
}

const part = (text: string): string => encodeURIComponent(text).replaceAll('~', '%7E')

/** What was told once is told again with every look at the graph: its key need not be written anew. */
const known = new WeakMap<object, string>()
const knownSessions = new WeakMap<object, string>()

export function sessionKeyOf(of: { readonly source: string; readonly session_id: string }): string {
  const before = knownSessions.get(of)
  if (before !== undefined) return before
  const key = `${part(of.source)}~${part(of.session_id)}`
  knownSessions.set(of, key)
  return key
}

export function keyOf(ref: AgentRef): string {
  const before = known.get(ref)
  if (before !== undefined) return before
  const key = `${sessionKeyOf(ref)}~${part(ref.id)}`
  known.set(ref, key)
  return key
}

/** The agent that a key names; null where the text is no key. */
export function refOf(key: string): AgentRef | null {
  try {
    const [source, session_id, id, ...rest] = key.split('~').map(decodeURIComponent)
    if (!source || !session_id || !id || rest.length > 0) return null
    return { source, session_id, id }
  } catch {
    return null
  }
}
