import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TraceRecord } from '@panoptes/schema'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFileTraces, sumTraceBytes } from './file-traces.ts'
import { openTraces } from './traces.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'traces-cap-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const record = (text: string) =>
  ({ ts: 1, session_id: 's', text, turn_id: 't', iteration: 1, status: 'done' }) as unknown as TraceRecord
const opened = (maxFolderBytes: number, maxBytes = 1_048_576) =>
  openTraces({ kept: createFileTraces({ folder, maxBytes, maxFolderBytes }) })

const LINE = 1_000
const text = 'x'.repeat(LINE)
const file = (name: string, at: number, content = `${JSON.stringify(record(text))}\n`) => {
  writeFileSync(join(folder, name), content)
  utimesSync(join(folder, name), at, at)
}

describe('trace folder limit', () => {
  it('deletes the files that were written to longest ago', async () => {
    for (let n = 0; n < 20; n += 1) file(`old-${n}.jsonl`, 1_000 + ((n * 7) % 20))
    const traces = opened(15_000)
    traces.write('new', () => record(text))
    await traces.drain()
    expect(await sumTraceBytes(folder)).toBeLessThanOrEqual(15_000)
    const kept = readdirSync(folder).filter((name) => name !== 'new.jsonl')
    const gone = 20 - kept.length
    expect(traces.removed()).toBe(gone)
    expect(readdirSync(folder)).toContain('new.jsonl')
    for (const name of kept)
      expect(statSync(join(folder, name)).mtimeMs / 1_000).toBeGreaterThanOrEqual(1_000 + gone)
  })

  it('keeps the current file, even if it alone exceeds the limit', async () => {
    const traces = opened(3_000)
    for (let n = 0; n < 10; n += 1) traces.write('s', () => record(text))
    traces.write('later', () => record(text))
    await traces.drain()
    expect([readdirSync(folder), traces.lost(), traces.problem()]).toEqual([['later.jsonl'], 0, null])
  })

  it('neither deletes nor counts files that Panoptes did not write', async () => {
    const hermes = `${JSON.stringify({ ts: 1, session_id: 'h', references: [], aggregator: { text } })}\n`
    file('hermes.jsonl', 1, hermes.repeat(30))
    file('notes.txt', 1, text.repeat(30))
    file('own.jsonl', 2)
    symlinkSync(join(folder, 'notes.txt'), join(folder, 'link.jsonl'))
    const traces = opened(5_000)
    for (let n = 0; n < 3; n += 1) traces.write('s', () => record(text))
    await traces.drain()
    expect(readdirSync(folder).sort()).toEqual([
      'hermes.jsonl',
      'link.jsonl',
      'notes.txt',
      'own.jsonl',
      's.jsonl',
    ])
    for (let n = 0; n < 3; n += 1) traces.write('s', () => record(text))
    await traces.drain()
    expect(readdirSync(folder)).not.toContain('own.jsonl')
    expect(readdirSync(folder)).toContain('hermes.jsonl')
  })

  it('holds whatever is written, except for the current file', async () => {
    const written = fc.tuple(fc.nat({ max: 6 }), fc.integer({ min: 10, max: 4_000 }))
    await fc.assert(
      fc.asyncProperty(fc.array(written, { minLength: 1, maxLength: 40 }), async (all) => {
        rmSync(folder, { recursive: true, force: true })
        const traces = opened(10_000, 3_000)
        for (const [session, length] of all) {
          traces.write(`s${session}`, () => record('y'.repeat(length)))
          await traces.drain()
          const own = statSync(join(folder, `s${session}.jsonl`)).size
          expect(await sumTraceBytes(folder)).toBeLessThanOrEqual(10_000 + own)
        }
        expect(traces.lost()).toBe(0)
      }),
      { numRuns: 20 },
    )
  })
})
