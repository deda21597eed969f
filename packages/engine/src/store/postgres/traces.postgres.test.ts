import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { value } from '../conformance/lab.ts'
import type { EventStore } from '../port.ts'
import { type OwnDatabase, ownDatabase } from '../team/postgres/database.test-kit.ts'
import type { TraceLines } from '../traces-port.ts'
import { openPostgresStore, restorePostgresStore } from './postgres-store.ts'

let database: OwnDatabase
let stores: readonly EventStore[] = []
let one: TraceLines
let other: TraceLines

const traceLines = ({ traces }: EventStore): TraceLines => {
  if (traces === null) throw new Error('The store keeps no traces.')
  return traces
}

beforeAll(async () => {
  database = await ownDatabase()
  const open = async () => value(await openPostgresStore({ url: database.url, schema: 'space_main' }))
  stores = [await open(), await open()]
  const [first, second] = stores.map(traceLines)
  if (first === undefined || second === undefined) throw new Error('The store did not open twice.')
  one = first
  other = second
})
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()))
  await database.drop()
})
beforeEach(() => database.ask('DELETE FROM space_main.trace_lines'))

const ROOM = { ofSession: 1_000_000, ofAll: 1_000_000 }
const put = async (session: string, turn: string, json = turn, { lines = one, bounds = ROOM } = {}) =>
  value(await lines.put({ session, turn, json }, bounds))
const read = async (session: string, more: { turn?: string; most?: number; mostBytes?: number } = {}) =>
  value(await other.read({ session, most: 100, mostBytes: 1e9, ...more }))

describe('trace lines in a database', () => {
  it('are readable by everyone who shares it, in order, by session and by turn', async () => {
    await put('s', 'ta1')
    await put('s', 'tb', 'ü\u2028 "\\"', { lines: other })
    await put('s', 'ta2')
    await put('s_', 'ta9')
    expect(await read('s')).toEqual({ lines: ['ta1', 'ü\u2028 "\\"', 'ta2'], older: 0 })
    expect(await read('s', { turn: 'ta' })).toEqual({ lines: ['ta1', 'ta2'], older: 0 })
    expect(await read('nobody')).toEqual({ lines: [], older: 0 })
    expect(value(await other.findSession('ta9'))).toBe('s_')
    expect(value(await other.findSession('tb'))).toBe('s')
    expect(value(await other.findSession('%'))).toBeNull()
  })

  it('return the newest lines within a limit, but at least one', async () => {
    for (const n of [1, 2, 3, 4]) await put('s', `t${n}`, `${n}`.repeat(10))
    expect(await read('s', { most: 2 })).toEqual({ lines: ['3333333333', '4444444444'], older: 2 })
    expect(await read('s', { mostBytes: 39 })).toMatchObject({ older: 1 })
    expect(await read('s', { mostBytes: 5 })).toEqual({ lines: ['4444444444'], older: 3 })
  })

  it('list sessions newest first, however long the name is', async () => {
    const long = `s${'x'.repeat(10_000)}`
    await put(long, 'a', '12345')
    await put('sb', 'b', '123')
    await put(long, 'c', '12345', { lines: other })
    await put('other', 'd')
    const listed = value(await other.sessions('s', 10))
    expect(listed).toMatchObject([
      { session_id: long, bytes: 10 },
      { session_id: 'sb', bytes: 3 },
    ])
    expect(Math.abs(Number(listed[0]?.modified_at) - Date.now())).toBeLessThan(60_000)
    expect(value(await one.sessions('', 1))).toMatchObject([{ session_id: 'other' }])
    expect(await read(long)).toMatchObject({ lines: ['12345', '12345'] })
  })

  it('stay within the total limit across writers: the oldest go, never the one just written', async () => {
    const bounds = { ofSession: 1_000_000, ofAll: 1_000 }
    let gone = 0
    for (let n = 0; n < 30; n += 1) {
      const lines = n % 2 === 0 ? one : other
      gone += await put(`s${n % 3}`, `t${n}`, `${n % 10}`.repeat(100), { lines, bounds })
      expect(value(await one.bytes())).toBeLessThanOrEqual(1_000)
    }
    const left = await database.ask('SELECT turn_id FROM space_main.trace_lines ORDER BY number')
    expect(left.at(-1)).toEqual({ turn_id: 't29' })
    expect(left).toEqual(left.map((_, at) => ({ turn_id: `t${30 - left.length + at}` })))
    expect(gone).toBe(30 - left.length)
    await put('s', 'large', 'x'.repeat(5_000), { bounds })
    expect(await read('s')).toMatchObject({ lines: ['x'.repeat(5_000)] })
  })

  it('stay within the limit of a session without affecting others', async () => {
    const bounds = { ofSession: 350, ofAll: 1_000_000 }
    await put('old', 't0', 'y'.repeat(100), { bounds })
    for (let n = 1; n <= 10; n += 1) await put('s', `t${n}`, `${n % 10}`.repeat(100), { bounds })
    expect((await read('s')).lines.map((line) => line[0])).toEqual(['8', '9', '0'])
    expect((await read('old')).lines).toHaveLength(1)
  })

  it.each(['panoptes', 'hermes'])(
    'are removed with a forgotten session of %s, everywhere and for good',
    async (source) => {
      const [store] = stores
      const id = randomUUID()
      await put(id, 't1', 'my own words')
      await put('s', 't2', 'of others')
      expect(value(await other.forget([id, 'nobody']))).toBe(1)
      await put(id, 't1', 'my own words', { lines: other })
      const gone = [{ source, id }]
      value((await store?.forgetting.begin(gone)) ?? { ok: true, value: null })
      const removed = await store?.forgetting.remove(gone)
      expect(removed).toMatchObject({
        ok: true,
        value: expect.arrayContaining([{ from: 'ledger', what: 'traces', count: 1 }]),
      })
      await put(id, 't1', 'once more')
      expect([await read(id), (await read('s')).lines]).toEqual([{ lines: [], older: 0 }, ['of others']])
    },
  )

  it('are in a backup', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'panoptes-traces-copy-'))
    await put('s', 't', 'a \\ tab\tand a line\nend')
    const file = join(folder, 'copy')
    const [store] = stores
    expect(await store?.backup(file)).toMatchObject({ ok: true })
    const copy = value(await restorePostgresStore({ url: database.url, schema: 'copy' }, file))
    expect(value(await traceLines(copy).read({ session: 's', most: 9, mostBytes: 99 }))).toEqual({
      lines: ['a \\ tab\tand a line\nend'],
      older: 0,
    })
    value(await traceLines(copy).put({ session: 's', turn: 'u', json: 'next' }, ROOM))
    await copy.close()
    rmSync(folder, { recursive: true, force: true })
  })
})
