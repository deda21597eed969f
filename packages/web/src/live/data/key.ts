/** One agent among all: identity is source, session and id. */
export interface AgentRef {
  readonly source: string
  readonly session_id: string
  readonly id: string
}

const part = (text: string): string => encodeURIComponent(text).replaceAll('~', '%7E')

export const sessionKeyOf = (of: { readonly source: string; readonly session_id: string }): string =>
  `${part(of.source)}~${part(of.session_id)}`

export const keyOf = (ref: AgentRef): string => `${sessionKeyOf(ref)}~${part(ref.id)}`

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
