import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TraceRecord } from '@panoptes/schema'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { asOrdinaryUser } from '../../home/ordinary-user.test-kit.ts'
import { createFileTraces } from './file-traces.ts'
import { formerTrace, traceFolder, traceName } from './trace-paths.ts'
import { openTraces } from './traces.ts'

let folder: string
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'traces-')), 'in', 'here')
})
afterEach(() => rmSync(join(folder, '..', '..'), { recursive: true, force: true }))

const record = (n: number, text = '') => ({ ts: n, session_id: 's', text }) as unknown as TraceRecord
const opened = (maxBytes = 1_048_576) => openTraces({ kept: createFileTraces({ folder, maxBytes }) })
const lines = (file = 's.jsonl') =>
  readFileSync(join(folder, file), 'utf8')
    .split('\n')
    // A writer that sees half of another line starts a new one, which leaves an empty line between
    // them.
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { ts: number; text: string })
const numbers = (file?: string) => lines(file).map(({ ts }) => ts)

describe('writing traces', () => {
  it('writes lines in the order of the turns, readable by their owner alone', async () => {
    const traces = opened()
    for (let n = 0; n < 20; n += 1) traces.write('s', () => record(n, 'ü\u2028日本'))
    expect(existsSync(folder)).toBe(false)
    await traces.drain()
    expect(numbers()).toEqual(Array.from({ length: 20 }, (_, n) => n))
    expect(readFileSync(join(folder, 's.jsonl'), 'utf8')).toContain('日本')
    expect([statSync(folder).mode & 0o777, statSync(join(folder, 's.jsonl')).mode & 0o777]).toEqual([
      0o700, 0o600,
    ])
    expect([traces.problem(), traces.lost()]).toEqual([null, 0])
  })

  it('writes after the client was answered', async () => {
    let isMade = false
    const traces = opened()
    traces.write('s', () => {
      isMade = true
      return record(1)
    })
    for (let n = 0; n < 50; n += 1) await Promise.resolve()
    expect(isMade).toBe(false)
    await traces.drain()
    expect(isMade).toBe(true)
  })

  it('starts a new file when one is full and keeps the previous one', async () => {
    const traces = opened(1_000)
    for (let n = 0; n < 30; n += 1) traces.write('s', () => record(n, 'x'.repeat(100)))
    await traces.drain()
    expect(readdirSync(folder).sort()).toEqual(['s.jsonl', 's~1.jsonl'])
    const kept = [...numbers('s~1.jsonl'), ...numbers()]
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => 30 - kept.length + n))
    for (const file of readdirSync(folder))
      expect(statSync(join(folder, file)).size).toBeLessThanOrEqual(1_000)
  })

  it('uses separate files for a session that is named like a rotated file', async () => {
    const traces = opened(200)
    traces.write('s.1', () => record(7))
    for (let n = 0; n < 9; n += 1) traces.write('s', () => record(n, 'x'.repeat(100)))
    await traces.drain()
    expect(numbers('s.1.jsonl')).toEqual([7])
  })

  it('starts again if the folder or file was deleted', async () => {
    const traces = opened()
    traces.write('s', () => record(1))
    await traces.drain()
    rmSync(folder, { recursive: true })
    traces.write('s', () => record(2))
    await traces.drain()
    rmSync(join(folder, 's.jsonl'))
    traces.write('s', () => record(3))
    await traces.drain()
    expect([numbers(), traces.lost()]).toEqual([[3], 0])
  })

  it('counts and reports lines that could not be written, until writing works again', async () => {
    mkdirSync(join(folder, '..'), { recursive: true })
    writeFileSync(folder, 'no folder')
    const traces = opened()
    traces.write('s', () => record(1))
    await traces.drain()
    expect([traces.lost(), traces.problem()]).toEqual([1, expect.stringMatching(/ENOTDIR|EEXIST/)])
    rmSync(folder)
    traces.write('s', () => record(2))
    await traces.drain()
    expect([numbers(), traces.lost(), traces.problem()]).toEqual([[2], 1, null])
  })

  it('reports a folder that is not writable', async () => {
    mkdirSync(folder, { recursive: true })
    chmodSync(join(folder, '..', '..'), 0o755)
    chmodSync(folder, 0o555)
    const traces = opened()
    await asOrdinaryUser(async () => {
      traces.write('s', () => record(1))
      await traces.drain()
    })
    expect(traces.problem()).toMatch(/EACCES.*s\.jsonl/)
  })

  it('reports a full disk', async ({ skip }) => {
    skip(!existsSync('/dev/full'), 'This system has no /dev/full.')
    mkdirSync(folder, { recursive: true })
    symlinkSync('/dev/full', join(folder, 's.jsonl'))
    const traces = opened()
    traces.write('s', () => record(1))
    traces.write('t', () => record(2))
    await traces.drain()
    expect([traces.lost(), numbers('t.jsonl')]).toEqual([1, [2]])
  })

  it('loses no line to half a line before it', async () => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 's.jsonl'), '{"ts": 1, "half')
    const traces = opened()
    traces.write('s', () => record(2))
    await traces.drain()
    expect(readFileSync(join(folder, 's.jsonl'), 'utf8')).toBe(
      `{"ts": 1, "half\n${JSON.stringify(record(2))}\n`,
    )
  })

  it('survives a record that cannot be serialized', async () => {
    const traces = opened()
    traces.write('s', () => {
      throw new Error('odd')
    })
    traces.write('s', () => record(2))
    await traces.drain()
    expect([numbers(), traces.lost()]).toEqual([[2], 1])
  })

  it('does not queue forever: excess lines are dropped and reported', async () => {
    const traces = opened()
    for (let n = 0; n < 1_010; n += 1) traces.write('s', () => record(n))
    expect([traces.lost(), traces.problem()]).toEqual([10, expect.stringMatching(/faster/)])
    await traces.drain()
    expect(lines()).toHaveLength(1_000)
  })

  it('contains no provider key, wherever the key was configured', async () => {
    const key = 'my "own" key 1234'
    const traces = openTraces({
      kept: createFileTraces({ folder, maxBytes: 1_048_576 }),
      secrets: () => [key, 'short'],
    })
    traces.write('s', () => record(1, `a short file has ${key} in it`))
    await traces.drain()
    expect(lines()[0]?.text).toBe('a short file has [redacted] in it')
  })

  it('keeps the lines of two processes that write into one file whole', async () => {
    const script = fileURLToPath(new URL('./file-traces.ts', import.meta.url))
    const program = `
      const { createFileTraces } = await import(${JSON.stringify(script)})
      const { put } = createFileTraces({ folder: process.argv[1], maxBytes: 1e9 })
      for (let n = 0; n < 40; n += 1) await put({ session: 's', json: JSON.stringify({ ts: n, text: 'x'.repeat(n % 4 === 0 ? 700_000 : 50) }) })`
    const write = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, folder])
    await Promise.all([write(), write()])
    expect(numbers().sort((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, n) => Math.floor(n / 2)))
  })
})

describe('trace file name of a session', () => {
  it.each([
    ['20260916_101500_a1b2c3', '20260916_101500_a1b2c3.jsonl'],
    ['тест-日本.é9', 'тест-日本.é9.jsonl'],
    ['../../etc/passwd', '.._.._etc_passwd.jsonl'],
    ['..', '...jsonl'],
    ['a/b\\c:d e\0f', 'a_b_c_d_e_f.jsonl'],
    ['👩', '_.jsonl'],
    ['', 'unknown-session.jsonl'],
    [null, 'unknown-session.jsonl'],
  ])('maps %j to %s', (session, name) => {
    expect(traceName(session)).toBe(name)
  })

  it('stays inside its folder and within any limit, whatever the session is called', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.string({ maxLength: 400 })),
        (session) => {
          const name = traceName(session)
          expect(join('/folder', name)).toBe(`/folder/${name}`)
          expect(Buffer.byteLength(formerTrace(name))).toBeLessThan(255)
          expect(name).not.toMatch(/[/\\\0~]/)
        },
      ),
    )
  })

  it('differs between sessions, however long their names are', () => {
    expect(traceName(`${'x'.repeat(300)}1`)).not.toBe(traceName(`${'x'.repeat(300)}2`))
  })
})

describe('trace folder', () => {
  const braced = (name: string) => `\${${name}}`
  const env = { HOME: '/home/me', BASE: '/data', _x1: 'deep' }
  it.each([
    [null, '/standard'],
    ['~/t', '/home/me/t'],
    ['~', '/home/me'],
    ['$BASE/t', '/data/t'],
    [`${braced('BASE')}t/$_x1`, '/datat/deep'],
    ['/a/~/b', '/a/~/b'],
    [`/a/$NONE/${braced('NONE')}`, `/a/$NONE/${braced('NONE')}`],
    ['/a//b/../c', '/a/c'],
    ['beside/it', '/beside/it'],
    ['$NONE/t', '/$NONE/t'],
  ])('resolves %j to %s', (configured, expected) => {
    expect(traceFolder(configured, '/standard', env)).toBe(expected)
  })
})
