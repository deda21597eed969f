import { setImmediate as nextTurn } from 'node:timers/promises'
import { RecentRows } from './recent-rows.ts'

/**
 * Pushes twelve rows of a megabyte, collects garbage, and prints which rows are still in memory. Needs
 * `--expose-gc`.
 */
const recent = new RecentRows()
const rows = Array.from({ length: 12 }, (_, at) => {
  const row = { seq: at + 1, json: `${at + 1}`.padEnd(1_048_576) }
  recent.push(row)
  return new WeakRef(row)
})
await nextTurn()
globalThis.gc?.()
const held = rows.map((row) => row.deref()?.seq).filter((seq) => seq !== undefined)
// The newest rows must be requested after the collection, or they could be collected with the rest.
process.stdout.write(JSON.stringify({ held, newest: recent.readAfter(11, 1)?.length }))
