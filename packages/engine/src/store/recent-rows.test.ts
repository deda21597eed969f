import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { EventRow } from './port.ts'
import { RecentRows } from './recent-rows.ts'

const MEGABYTE = 1_048_576
const row = (seq: number, size = MEGABYTE): EventRow => ({ seq, json: `${seq}`.padEnd(size) })
const seqs = (rows: readonly EventRow[] | undefined) => rows?.map(({ seq }) => seq)

describe('RecentRows', () => {
  it('returns the last eight megabytes of rows from any position', () => {
    const recent = new RecentRows()
    for (let seq = 1; seq <= 20; seq += 1) recent.push(row(seq))
    expect(recent.readAfter(11, 1_000)).toBeUndefined()
    expect(seqs(recent.readAfter(12, 1_000))).toEqual([13, 14, 15, 16, 17, 18, 19, 20])
    expect(seqs(recent.readAfter(14, 2))).toEqual([15, 16])
    expect(recent.readAfter(20, 1_000)).toBeUndefined()
  })

  it('continues after very many rows', () => {
    const recent = new RecentRows()
    for (let seq = 1; seq <= 10_000; seq += 1) recent.push(row(seq, MEGABYTE / 256))
    expect(recent.readAfter(7_951, 1)).toBeUndefined()
    expect(seqs(recent.readAfter(7_952, 2))).toEqual([7_953, 7_954])
    expect(seqs(recent.readAfter(9_999, 2))).toEqual([10_000])
  })

  it('starts over after a gap, and after a row that alone is too large', () => {
    const recent = new RecentRows()
    recent.push(row(1))
    recent.push(row(3))
    expect(recent.readAfter(0, 10)).toBeUndefined()
    expect(seqs(recent.readAfter(2, 10))).toEqual([3])
    recent.push(row(4, 9 * MEGABYTE))
    expect(recent.readAfter(2, 10)).toBeUndefined()
    expect(recent.readAfter(3, 10)).toBeUndefined()
    recent.push(row(5))
    expect(seqs(recent.readAfter(4, 10))).toEqual([5])
  })

  it('holds no dropped row in memory', () => {
    // The garbage collection runs in a process of its own, because V8's flags cannot change while it runs.
    const child = fileURLToPath(new URL('./recent-rows.child.ts', import.meta.url))
    const output = execFileSync(process.execPath, ['--expose-gc', child], { encoding: 'utf8' })
    expect(JSON.parse(output)).toEqual({ held: [5, 6, 7, 8, 9, 10, 11, 12], newest: 1 })
  })
})
