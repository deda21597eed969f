import { hash } from 'node:crypto'
import { type CheckedLine, KEY_LIMIT } from './check.ts'

export const SAME_WITHIN_MS = 5_000
const MOST_RECENT = 50_000

export type KeyMaker = (line: CheckedLine, source: string, arrived: number) => string

/**
 * Gives every event its idempotency key from the sender's data alone: the same line always gets the same key.
 * A line with neither id nor time equals identical lines of the last five seconds.
 */
export function createKeyMaker(): KeyMaker {
  const recent = new Map<string, { readonly key: string; readonly at: number }>()
  return (line, source, arrived) => {
    const { fields } = line
    if (typeof fields.key === 'string') return boundKey(fields.key)
    const id = eventId(line)
    if (id !== undefined)
      return boundKey(`${escapePart(source)}:${escapePart(keyScope(line))}:${escapePart(id)}:${fields.event}`)
    const digest = lineDigest(line)
    if (line.ts !== undefined) return `${source}:${digest}`
    const previous = recent.get(digest)
    if (previous && Math.abs(arrived - previous.at) <= SAME_WITHIN_MS) return previous.key
    const key = `${source}:${digest}:${arrived}`
    recent.delete(digest)
    recent.set(digest, { key, at: arrived })
    forgetOldest(recent, MOST_RECENT)
    return key
  }
}

/** The first vocabulary wrote `unknown` for a missing id. */
function eventId({ fields }: CheckedLine): string | undefined {
  const { id } = fields
  if (typeof id === 'number') return String(id)
  if (typeof id !== 'string' || id === '') return undefined
  return id === 'unknown' && fields.session_id == null ? undefined : id
}

/** Without a session, a name from the line is used: a session found later must not change the key. */
function keyScope({ fields }: CheckedLine): string {
  const scope = fields.session_id ?? (fields.event === 'agent_spawn' ? fields.parent_id : fields.agent_id)
  return typeof scope === 'string' ? scope : ''
}

const escapePart = (part: string): string =>
  part.includes(':') || part.includes('%') ? part.replace(/[:%]/g, encodeURIComponent) : part

export const boundKey = (key: string): string => (key.length <= KEY_LIMIT ? key : `sha256:${digest(key)}`)

function lineDigest({ fields, ts }: CheckedLine): string {
  const { v: _v, seq: _seq, ts: _ts, ...content } = fields
  return digest(`${ts ?? ''}${JSON.stringify(content)}`)
}

export const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 32)

/** Drops the oldest entries of a map that is filled in time order. */
export function forgetOldest(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
