import { hash } from 'node:crypto'
import { type CheckedLine, KEY_LIMIT } from './check.ts'

export const SAME_WITHIN_MS = 5_000
const MOST_RECENT = 50_000

export type KeyMaker = (line: CheckedLine, source: string, arrived: number) => string

/**
 * Gives every event its idempotency key, from what the sender said alone: the same line gets the same key
 * whenever it comes. A line that says neither an id nor a time is the same as its like of the last five seconds.
 */
export function createKeyMaker(): KeyMaker {
  const recent = new Map<string, { readonly key: string; readonly at: number }>()
  return (line, source, arrived) => {
    const { fields } = line
    if (typeof fields.key === 'string') return bounded(fields.key)
    const id = idOf(line)
    if (id !== undefined)
      return bounded(`${escaped(source)}:${escaped(scopeOf(line))}:${escaped(id)}:${fields.event}`)
    const digest = digestOf(line)
    if (line.ts !== undefined) return `${source}:${digest}`
    const known = recent.get(digest)
    if (known && Math.abs(arrived - known.at) <= SAME_WITHIN_MS) return known.key
    const key = `${source}:${digest}:${arrived}`
    recent.delete(digest)
    recent.set(digest, { key, at: arrived })
    forgetOldest(recent, MOST_RECENT)
    return key
  }
}

/** The first vocabulary wrote `unknown` where it had no id. */
function idOf({ fields }: CheckedLine): string | undefined {
  const { id } = fields
  if (typeof id === 'number') return String(id)
  if (typeof id !== 'string' || id === '') return undefined
  return id === 'unknown' && fields.session_id == null ? undefined : id
}

/** Without a session of its own, what the line names instead: a session found later must not change the key. */
function scopeOf({ fields }: CheckedLine): string {
  const scope = fields.session_id ?? (fields.event === 'agent_spawn' ? fields.parent_id : fields.agent_id)
  return typeof scope === 'string' ? scope : ''
}

const escaped = (part: string): string =>
  part.includes(':') || part.includes('%') ? part.replace(/[:%]/g, encodeURIComponent) : part

export const bounded = (key: string): string => (key.length <= KEY_LIMIT ? key : `sha256:${digest(key)}`)

function digestOf({ fields, ts }: CheckedLine): string {
  const { v: _v, seq: _seq, ts: _ts, ...content } = fields
  return digest(`${ts ?? ''}${JSON.stringify(content)}`)
}

export const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 32)

/** Of a map that is filled in the order of time. */
export function forgetOldest(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
