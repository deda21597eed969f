/** How far a file was read. It commits with the events, so that a restart goes on exactly there. */
export interface Place {
  /** Which file it was: its device and inode. */
  readonly file: string
  /** The beginning of the first line that was not read. */
  readonly offset: number
  /** The bytes just before it: what tells a file that grew from another one in its place. */
  readonly before: string
  /** Lines read so far. */
  readonly lines: number
  /** The line at the offset is too long and is being passed over. */
  readonly skipping: boolean
}

export const startOf = (file: string): Place => ({ file, offset: 0, before: '', lines: 0, skipping: false })

export function parsePlace(text: string | undefined): Place | undefined {
  if (text === undefined) return undefined
  try {
    const { file, offset, before, lines, skipping } = JSON.parse(text) as Record<string, unknown>
    if (typeof file !== 'string' || typeof before !== 'string') return undefined
    if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(lines)) return undefined
    return { file, offset: Number(offset), before, lines: Number(lines), skipping: skipping === true }
  } catch {
    return undefined
  }
}

export const KEPT_BEFORE = 32
