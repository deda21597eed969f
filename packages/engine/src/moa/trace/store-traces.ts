import type { TraceBounds, TraceLines } from '@panoptes/engine/store'
import type { TraceRecord } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { TraceStore } from './port.ts'
import { LONGEST_LINE, MOST_BYTES, MOST_RECORDS, MOST_SESSIONS, recordIn } from './read.ts'

/** Trace storage in the event store, for every hub that serves the space. */
export function tracesInStore(lines: TraceLines, bounds: TraceBounds): TraceStore {
  let removed = 0
  return {
    folder: null,
    put: async (line) => {
      if (Buffer.byteLength(line.json) > LONGEST_LINE)
        throw new Error(`Traces over ${LONGEST_LINE / 1_048_576} MB are not saved.`)
      const put = await lines.put(line, bounds)
      if (!put.ok) throw new Error(put.message)
      removed += put.value
      return null
    },
    removed: () => removed,
    read: async ({ session, turn, most = MOST_RECORDS }) => {
      const read = await lines.read({ session, turn, most, mostBytes: MOST_BYTES })
      if (!read.ok) return read
      const records = read.value.lines
        .map((line) => recordIn(Buffer.from(line)))
        .filter((record): record is TraceRecord => record !== undefined)
      const unreadable = read.value.lines.length - records.length
      return success({ records, older: read.value.older, unreadable })
    },
    sessions: (begin = '') => lines.sessions(begin, MOST_SESSIONS),
    findSession: lines.findSession,
    forget: lines.forget,
    bytes: lines.bytes,
  }
}
