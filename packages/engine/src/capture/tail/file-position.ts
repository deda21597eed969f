/**
 * The position up to which a file was read. It commits with the events, so that a restart continues exactly
 * there.
 */
export interface Place {
  /** The device and inode of the file. */
  readonly file: string
  /** The offset of the first unread line. */
  readonly offset: number
  /** The bytes just before the offset. They distinguish a file that grew from a replacement. */
  readonly before: string
  /** The number of lines read so far. */
  readonly lines: number
  /** This is true while the line at the offset is too long and being skipped. */
  readonly skipping: boolean
}

export const startPlace = (file: string): Place => ({
  file,
  offset: 0,
  before: '',
  lines: 0,
  skipping: false,
})

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

export const TAIL_BYTES = 32
