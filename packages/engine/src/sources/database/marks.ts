import { statSync } from 'node:fs'

/** Of the time of a change the system keeps ticks: what changed just now may change again under the same time. */
const SETTLED_MS = 200

export interface Mark {
  /** Another one means another content. */
  readonly text: string
  /** Whether the same mark still means the same content. */
  readonly settled: boolean
}

/** What tells a change of a database: its own file, and the log of writes that are not in it yet. */
export function markOf(path: string): Mark | undefined {
  const now = Date.now()
  const marks = [path, `${path}-wal`].map((file) => {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    return found && { text: `${found.ino}.${found.size}.${found.mtimeNs}`, ms: Number(found.mtimeMs) }
  })
  const [own, log] = marks
  if (own === undefined) return undefined
  return {
    text: `${own.text} ${log?.text ?? ''}`,
    settled: Math.max(own.ms, log?.ms ?? 0) + SETTLED_MS < now,
  }
}
