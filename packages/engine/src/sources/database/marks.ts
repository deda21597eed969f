import { statSync } from 'node:fs'

/** File times advance in ticks, so a recent change may be followed by another with the same time. */
const SETTLED_MS = 200

export interface Mark {
  /** A different text means different content. */
  readonly text: string
  /** True when an equal mark is sure to mean equal content. */
  readonly settled: boolean
}

/** Identifies the state of a database by its own file and its write-ahead log. */
export function databaseMark(path: string): Mark | undefined {
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
