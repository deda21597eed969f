import { closeSync, constants, openSync, readSync } from 'node:fs'

const END_BYTES = 65_536
const TIMESTAMP = /(?<!\\)"timestamp":"([^"]{1,40})"/g

/**
 * Returns when the last rows of a transcript were written, by their own word: the time of a file also changes when
 * somebody copies or touches it. Undefined means that the end of the file does not
 * say, or cannot be read.
 */
export function readLastTime(path: string, size: number): number | undefined {
  const bytes = Buffer.alloc(Math.min(END_BYTES, size))
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
