import { hash } from 'node:crypto'
import { type CheckedLine, KEY_LIMIT } from './check.ts'

const SAME_WITHIN_MS = 5_000
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
    const id = line.stamped ? undefined : idOf(line)
    if (id !== undefined)
      return bounded(`${escaped(source)}:${escaped(scopeOf(line))}:${escaped(id)}:${fields.event}`)
    const digest = digestOf(line)
    if (line.ts !== undefined && !line.stamped) return `${source}:${digest}`
    const known = recent.get(digest)
    if (known && Math.abs(arrived - known.at) <= SAME_WITHIN_MS) return known.key
    const key = `${source}:${digest}:${arrived}`
    recent.delete(digest)
    recent.set(digest, { key, at: arrived })
    if (recent.size > MOST_RECENT) forgetOldest(recent)
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

const bounded = (key: string): string => (key.length <= KEY_LIMIT ? key : `sha256:${digest(key)}`)

function digestOf({ fields, ts, stamped }: CheckedLine): string {
  const { v: _v, seq: _seq, ts: _ts, ...content } = fields
  return digest(`${stamped ? '' : (ts ?? '')}${JSON.stringify(content)}`)
}

const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 32)

function forgetOldest(recent: Map<string, unknown>): void {
  for (const oldest of recent.keys()) {
    recent.delete(oldest)
    return
  }
}
