import { closeSync, constants, openSync, readSync } from 'node:fs'

/** The client writes the time after the message of a row. Only if this much says nothing is more read. */
const END_BYTES = 4_096
const MOST_BYTES = 65_536
const TIMESTAMP = /(?<!\\)"timestamp":"([^"]{1,40})"/g

/**
 * Returns when the last rows of a transcript were written, by their own word: the time of a file also changes when
 * somebody copies or touches it. Undefined means that the end of the file does not
 * say, or cannot be read.
 */
export const readLastTime = (path: string, size: number): number | undefined =>
  readTime(path, size, END_BYTES) ?? (size > END_BYTES ? readTime(path, size, MOST_BYTES) : undefined)

function readTime(path: string, size: number, most: number): number | undefined {
  const bytes = Buffer.alloc(Math.min(most, size))
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, size - bytes.length))
      const times = [...text.matchAll(TIMESTAMP)]
        .map(([, time = '']) => Date.parse(time))
        .filter((time) => Number.isFinite(time))
      return times.length === 0 ? undefined : Math.max(...times)
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}
