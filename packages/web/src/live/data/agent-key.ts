import type { Agent, PastSession } from '@panoptes/schema'

/** One agent among all: identity is source, session and id. */
export interface AgentRef {
  readonly source: string
  readonly session_id: string
  readonly id: string
}

const part = (text: string): string => encodeURIComponent(text).replaceAll('~', '%7E')

/** Every redraw asks for the same keys, so they are cached. */
const agentKeys = new WeakMap<object, string>()
const sessionKeys = new WeakMap<object, string>()

export function toSessionKey(of: { readonly source: string; readonly session_id: string }): string {
  const before = sessionKeys.get(of)
  if (before !== undefined) return before
  const key = `${part(of.source)}~${part(of.session_id)}`
  sessionKeys.set(of, key)
  return key
}

export function toAgentKey(ref: AgentRef): string {
  const before = agentKeys.get(ref)
  if (before !== undefined) return before
  const key = `${toSessionKey(ref)}~${part(ref.id)}`
  agentKeys.set(ref, key)
  return key
}

/** Parses a key; null if the text is not one. */
export function parseAgentKey(key: string): AgentRef | null {
  try {
    const [source, session_id, id, ...rest] = key.split('~').map(decodeURIComponent)
    if (!source || !session_id || !id || rest.length > 0) return null
    return { source, session_id, id }
  } catch {
    return null
  }
}

/** The conversation in which an agent answers; null if there is none. */
export const agentConversation = ({
  source,
  session_id,
}: Pick<Agent, 'source' | 'session_id'>): string | null =>
  source === 'panoptes' && session_id.startsWith('chat-') ? session_id : null

/** The key of a past session, which names its id `id`. */
export const pastSessionKey = ({ source, id }: Pick<PastSession, 'source' | 'id'>): string =>
  toSessionKey({ source, session_id: id })
