import { mkdirSync, writeFileSync } from 'node:fs'
import { appendFile, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { type Bench, openBench } from './capture.test-kit.ts'
import { forgetLines, forgetPayloads, holdMark } from './forget.ts'
import { blankLines } from './tail/blank-lines.ts'
import { createTail } from './tail/tail.ts'

let bench: Bench
let path = ''
beforeEach(async () => {
  bench = await openBench()
  path = join(bench.folder, 'events.jsonl')
})
afterEach(() => bench.end())

const ONE = { source: 'custom', id: 'one' }
const line = (session: string, id: string, more: object = {}) =>
  `${JSON.stringify({ event: 'prompt', session_id: session, id, text: `secret of ${session}`, ...more })}\n`
const ids = async () => (await bench.events()).map(({ id }) => id)
const counts = (lines: number) => [{ from: 'journal', what: 'lines', count: lines }]

describe('forgetting lines of a followed file', () => {
  it('keeps the length of the file and the position of other lines', async () => {
    const marks = (names: readonly string[]) => bench.store.marks(names)
    await writeFile(path, line('one', 'a') + line('two', 'b') + line('one', 'c'))
    await writeFile(`${path}.1`, line('one', 'z') + line('two', 'y'))
    const tail = createTail({ path, intake: bench.intake(), marks, graceMs: 0 })
    try {
      await expect.poll(ids).toEqual(['a', 'b', 'c'])
      const { size } = await stat(path)
      expect(unwrap(await forgetLines({ path, hold: tail.hold })([ONE]))).toEqual(counts(3))
      expect((await stat(path)).size).toBe(size)
      expect(await readFile(path, 'utf8')).toBe(
        `${' '.repeat(line('one', 'a').length - 1)}\n${line('two', 'b')}${' '.repeat(line('one', 'c').length - 1)}\n`,
      )
      expect(await readFile(`${path}.1`, 'utf8')).not.toContain('secret of one')
      await appendFile(path, line('two', 'd'))
      await expect.poll(ids).toEqual(['a', 'b', 'c', 'd'])
    } finally {
      await tail.stop()
    }
  })

  it('does not make a later follower read the file again', async () => {
    const marks = (names: readonly string[]) => bench.store.marks(names)
    const follow = () => createTail({ path, intake: bench.intake(), marks, graceMs: 0 })
    await writeFile(path, line('two', 'b') + line('one', 'a'))
    const first = follow()
    await expect.poll(ids).toEqual(['b', 'a'])
    await first.stop()
    unwrap(await bench.store.retain({ before: Number.MAX_SAFE_INTEGER }))
    const hold = holdMark(path, bench.store)
    expect(unwrap(await forgetLines({ path, hold })([ONE]))).toEqual(counts(1))
    await appendFile(path, line('two', 'c'))
    const again = follow()
    await expect.poll(ids).toEqual(['c'])
    await again.stop()
    expect(await ids()).toEqual(['c'])
  })

  it('matches a line by its session, not by words in it', async () => {
    const remaining =
      line('two', 'a', { text: 'about one' }) + line('one', 'b', { source: 'hermes' }) + line('two', 'one')
    await writeFile(path, `${remaining}${line('one', 'c', { source: 'custom' })}{"session_id":"one","half\n`)
    expect(unwrap(await forgetLines({ path, hold: (work) => work() })([ONE]))).toEqual(counts(2))
    expect((await readFile(path, 'utf8')).startsWith(remaining)).toBe(true)
    expect((await readFile(path, 'utf8')).slice(remaining.length).trim()).toBe('')
    await rm(path)
    expect(unwrap(await forgetLines({ path, hold: (work) => work() })([ONE]))).toEqual(counts(0))
  })

  it('finishes a line that an interrupted run had started', async () => {
    const whole = line('one', 'a', { text: 'x'.repeat(400) })
    await writeFile(path, `${whole.slice(0, 200)}${' '.repeat(whole.length - 201)}\n${line('two', 'b')}`)
    await blankLines(path, () => false)
    expect((await readFile(path, 'utf8')).trim()).toBe(line('two', 'b').trim())
  })

  it('blanks exactly the requested lines wherever they are', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }).map((any) => any.replace(/[\r\n]/g, '')),
      fc.integer({ min: 262_100, max: 262_200 }).map((length) => 'x'.repeat(length)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 8 }), fc.boolean(), async (lines, ended) => {
        writeFileSync(path, lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''))
        const gone = (bytes: Buffer) => bytes.length % 2 === 1
        await blankLines(path, gone)
        const after = (await readFile(path, 'utf8')).split('\n')
        lines.forEach((each, at) => {
          const bytes = Buffer.from(each)
          expect(after[at]).toBe(gone(bytes) ? ' '.repeat(bytes.length) : each)
        })
      }),
      { numRuns: 40 },
    )
  })
})

it('forgets payloads that wait in the spool', async () => {
  const folder = join(bench.folder, 'spool')
  mkdirSync(folder)
  const put = (name: string, payload: object) => writeFileSync(join(folder, name), JSON.stringify(payload))
  put('claude-code.1.1.json', { session_id: 'one', hook_event_name: 'Stop' })
  put('claude-code.1.2.json', { session_id: 'two', prompt: 'one' })
  put('hermes.1.3.json', { session_id: 'one' })
  put('claude-code.1.4.json', { payload: { session_id: 'one' } })
  put('claude-code.1.5.json', { data: { sessionId: 'one' } })
  put('claude-code.1.6.json', { event: { session_id: 'one' } })
  put('claude-code.1.7.json', { other: { session_id: 'one' } })
  const forget = forgetPayloads(folder)
  const gone = [{ source: 'claude-code', id: 'one' }]
  expect(unwrap(await forget(gone))).toEqual([{ from: 'spool', what: 'payloads', count: 4 }])
  expect(unwrap(await forget(gone))).toEqual([{ from: 'spool', what: 'payloads', count: 0 }])
  expect(unwrap(await forgetPayloads(join(folder, 'none'))(gone))).toEqual([
    { from: 'spool', what: 'payloads', count: 0 },
  ])
})
