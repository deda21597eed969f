import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TraceRecord } from '@panoptes/schema'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFileTraces, forgetTraces } from './file-traces.ts'
import { findTurnSession, listTracedSessions, readLines, readTraces } from './read.ts'
import { openTraces } from './traces.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-read-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const record = (session_id: string, turn_id: string, iteration: number, output = 'yes'): TraceRecord => ({
  ts: 1_790_000_000.5,
  session_id,
  preset: 'p',
  references: [],
  aggregator: {
    label: 'a:b',
    model: 'b',
    provider: 'a',
    temperature: null,
    input_messages: [],
    output,
    streamed: true,
    output_location: 'inline_from_stream',
    usage: {},
    cost_usd: null,
    started_at: 1,
    first_token_at: null,
    ended_at: 2,
    error: null,
  },
  turn_id,
  iteration,
  status: 'done',
})

async function write(maxBytes: number, ...records: readonly TraceRecord[]) {
  const traces = openTraces({ kept: createFileTraces({ folder, maxBytes }) })
  for (const one of records) traces.write(one.session_id ?? '', () => one)
  await traces.drain()
  expect(traces.problem()).toBe(null)
}

const iterations = (found: { readonly records: readonly TraceRecord[] }) =>
  found.records.map(({ turn_id, iteration }) => `${turn_id}${iteration}`)

describe('reading traces', () => {
  it('returns the lines of one turn or all turns in order, including the previous file', async () => {
    const all = ['t', 'u'].flatMap((turn) => [1, 2].map((n) => record('s/1', turn, n)))
    const size = JSON.stringify(all[0]).length + 1
    await write(size * 3, ...all)
    expect(iterations(await readTraces({ folder, session: 's/1' }))).toEqual(['t1', 't2', 'u1', 'u2'])
    expect(iterations(await readTraces({ folder, session: 's/1', turn: 't' }))).toEqual(['t1', 't2'])
    expect(await readTraces({ folder, session: 'other' })).toEqual({ records: [], older: 0, unreadable: 0 })
  })

  it('separates sessions whose ids map to the same file name', async () => {
    await write(1e9, record('a/b', 't', 1), record('a_b', 'u', 1))
    expect(iterations(await readTraces({ folder, session: 'a/b' }))).toEqual(['t1'])
    expect(iterations(await readTraces({ folder, session: 'a_b' }))).toEqual(['u1'])
  })

  it('returns the newest lines if there are many', async () => {
    await write(1e9, ...[1, 2, 3, 4, 5].map((n) => record('s', 't', n)))
    const found = await readTraces({ folder, session: 's', most: 2 })
    expect([iterations(found), found.older]).toEqual([['t4', 't5'], 3])
  })

  it('tolerates foreign content and a last line that is still being written', async () => {
    await write(1e9, record('s', 't', 1))
    appendFileSync(join(folder, 's.jsonl'), Buffer.from([0xff, 0xfe, 10, 10]))
    appendFileSync(join(folder, 's.jsonl'), '{"turn_id":"t"}\n[]\nnull\n"t"\n')
    const whole = `${JSON.stringify(record('s', 't', 2))}\n`
    appendFileSync(join(folder, 's.jsonl'), whole + whole.slice(0, 100))
    const found = await readTraces({ folder, session: 's' })
    expect([iterations(found), found.unreadable]).toEqual([['t1', 't2'], 6])
    appendFileSync(join(folder, 's.jsonl'), whole.slice(100, -1))
    expect(iterations(await readTraces({ folder, session: 's' }))).toEqual(['t1', 't2', 't2'])
  })

  it('tolerates deletion at any time and continues in a new file', async () => {
    const traces = openTraces({
      kept: createFileTraces({ folder: join(folder, 'deep', 'er'), maxBytes: 1_200 }),
    })
    const put = async (n: number) => {
      traces.write('s', () => record('s', 't', n))
      await traces.drain()
      return [traces.problem(), traces.lost()]
    }
    expect([await put(1), await put(2)]).toEqual([
      [null, 0],
      [null, 0],
    ])
    rmSync(join(folder, 'deep'), { recursive: true })
    expect([await put(3), await put(4), await put(5)]).toEqual([
      [null, 0],
      [null, 0],
      [null, 0],
    ])
    const found = await readTraces({ folder: join(folder, 'deep', 'er'), session: 's' })
    expect(iterations(found)).toEqual(['t3', 't4', 't5'])
  })

  it('deletes the lines of a session and keeps those of others in the same file', async () => {
    await write(600, record('a/b', 't', 1), record('a/b', 't', 2), record('a_b', 'u', 1), record('c', 'v', 1))
    expect(await forgetTraces(folder, ['a/b', 'nobody'])).toMatchObject({
      ok: true,
      value: expect.any(Number),
    })
    expect((await readTraces({ folder, session: 'a/b' })).records).toEqual([])
    expect(iterations(await readTraces({ folder, session: 'a_b' }))).toEqual(['u1'])
    expect(iterations(await readTraces({ folder, session: 'c' }))).toEqual(['v1'])
    await forgetTraces(folder, ['a_b', 'c'])
    expect(readdirSync(folder)).toEqual([])
  })

  it('ignores folders, pipes and missing files', async () => {
    mkdirSync(join(folder, 's.jsonl'))
    execFileSync('mkfifo', [join(folder, 's~1.jsonl')])
    expect((await readTraces({ folder, session: 's' })).records).toEqual([])
    expect(await listTracedSessions(folder)).toEqual([])
    expect(await listTracedSessions(join(folder, 'nowhere'))).toEqual([])
  })

  it('lists sessions newest first, under their current names', async () => {
    await write(600, record('ü/ber "x"', 't', 1), record('ü/ber "x"', 't', 2))
    writeFileSync(join(folder, 'notes.jsonl'), 'not ours\n')
    writeFileSync(join(folder, 'read.me'), '{}')
    const [one, ...others] = await listTracedSessions(folder)
    expect(one).toMatchObject({ session_id: 'ü/ber "x"', file: join(folder, 'ü_ber__x_.jsonl') })
    expect(others).toEqual([])
  })

  it('finds a session by name even if it is older than the listed ones', async () => {
    const traces = openTraces({ kept: createFileTraces({ folder, maxBytes: 1e9 }) })
    for (let n = 0; n < 520; n += 1) traces.write(`run-${n}`, () => record(`run-${n}`, `turn-${n}`, 1))
    const long = `long/${'x'.repeat(300)}`
    traces.write(long, () => record(long, 'of-long', 1))
    await traces.drain()
    for (const name of readdirSync(folder)) {
      const at = name.startsWith('run-7.') ? 1 : 1_000
      utimesSync(join(folder, name), at, at)
    }
    const all = await listTracedSessions(folder)
    expect(all.map(({ session_id }) => session_id)).not.toContain('run-7')
    const named = async (begin: string) =>
      (await listTracedSessions(folder, begin)).map(({ session_id }) => session_id)
    expect(await named('run-7')).toHaveLength(11)
    expect(await named('run-7')).toContain('run-7')
    expect(await named(long.slice(0, 200))).toEqual([long])
    expect(await named('long/')).toEqual([long])
    expect(await named('long_')).toEqual([])
    expect(await findTurnSession(folder, 'turn-7')).toMatch(/^run-7/)
    expect(await findTurnSession(folder, 'of-l')).toBe(long)
    expect(await findTurnSession(folder, 'none')).toBeUndefined()
  })

  it('reads lines of any length and skips those over the limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 40 })), fc.boolean(), async (texts, isEnded) => {
        const lines = texts.map((text) => text.replaceAll('\n', ' '))
        const file = join(folder, 'lines')
        writeFileSync(file, lines.join('\n') + (isEnded ? '\n' : ''))
        const read: string[] = []
        for await (const line of readLines(file, 30)) read.push(line.toString())
        expect(read).toEqual(lines.filter((line) => line !== '' && Buffer.byteLength(line) <= 30))
      }),
      { numRuns: 50 },
    )
    const long = 'x'.repeat(700_000)
    writeFileSync(join(folder, 'long'), `${long}\n${long}y\nshort\n`)
    const read: number[] = []
    for await (const line of readLines(join(folder, 'long'), 700_000)) read.push(line.length)
    expect(read).toEqual([700_000, 5])
  })
})
