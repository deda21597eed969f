import { count } from './format.ts'
import type { Output } from './output.ts'

export interface Progress {
  readonly update: (done: number, total: number) => void
  readonly end: () => void
}

const QUIET_MS = 500
const LINE_EVERY_MS = 5_000
const REDRAW_MS = 100

/**
 * Shows the progress of long work: a line that redraws itself on a terminal, otherwise a line every few
 * seconds. A total of 0 is unknown.
 */
export function startProgress(output: Output, what: string): Progress {
  const began = performance.now()
  let last = began
  let drawn = false
  const update = (done: number, total: number): void => {
    const now = performance.now()
    const wait = output.interactive ? (drawn ? REDRAW_MS : QUIET_MS) : LINE_EVERY_MS
    if (output.json || now - last < wait) return
    last = now
    const line = `${what} ${count(done)}${share(done, total)}`
    if (!output.interactive) {
      output.note(line)
      return
    }
    drawn = true
    process.stderr.write(`\r\x1b[K${line}`)
  }
  return {
    update,
    end: () => {
      if (drawn) process.stderr.write('\r\x1b[K')
      drawn = false
    },
  }
}

const share = (done: number, total: number): string =>
  total > 0 ? ` / ${count(total)} (${Math.min(100, Math.floor((done / total) * 100))} %)` : ''
