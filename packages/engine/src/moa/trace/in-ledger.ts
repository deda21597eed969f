import type { TraceBounds, TraceLines } from '@panoptes/engine/ledger'
import type { TraceRecord } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { KeptTraces } from './port.ts'
import { LONGEST_LINE, MOST_BYTES, MOST_RECORDS, MOST_SESSIONS, recordIn } from './read.ts'

/** Lines of the ledger, for every hub that serves the space. */
export function tracesInLedger(lines: TraceLines, bounds: TraceBounds): KeptTraces {
  let removed = 0
  return {
    folder: null,
    put: async (line) => {
      if (Buffer.byteLength(line.json) > LONGEST_LINE)
        throw new Error(`A line of more than ${LONGEST_LINE / 1_048_576} MB is not written down.`)
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
    sessionOf: lines.sessionOf,
    forget: lines.forget,
    bytes: lines.bytes,
  }
}
