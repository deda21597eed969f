import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { event } from '../../conformance/event-kit.ts'
import { value } from '../../conformance/lab.ts'
import { openSqliteStore, verifyStoreFile } from '../../index.ts'
import { change, copyStore, eventsByPage, filledStore, randomBelow, rowsIn } from './rescue.test-kit.ts'
import { type Rescued, rescueStore } from './rescue.ts'

const PAGE = 4_096
const EVENTS = 1_002
const SEED = Number(process.env.PANOPTES_DAMAGE_SEED ?? 1)
/** All tables except the events, which keep their numbers, and those that are recomputed from others. */
const BESIDE = [
  'session_marks',
  'contributions',
  'unlocks',
  'conversations',
  'chat_messages',
  'chat_runs',
  'turns',
  'injections',
  'marks',
]

let folder = ''
let original = ''
let killed = ''
let place = ''
let file = ''
let target = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-rescue-'))
  original = join(folder, 'whole.db')
  killed = join(folder, 'killed.db')
  const store = await filledStore(original, 1_000)
  copyStore(original, killed)
  await store.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(() => {
  place = mkdtempSync(join(folder, 'one-'))
  file = join(place, 'ledger.db')
  target = join(place, 'rescued.db')
  copyStore(original, file)
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

const rescue = async (): Promise<Rescued> => value(await rescueStore(file, target))

/** Checks that everything in the new store was in the old one, and that it is a sound store that works. */
async function expectSound(rescued: Rescued, unchanging: readonly string[] = BESIDE): Promise<void> {
  const were = rowsIn(original, 'events')
  const rows = [...rowsIn(target, 'events')].filter((row) => !row.endsWith(',""]'))
  expect(rows.filter((row) => !were.has(row))).toEqual([])
  expect(rows).toHaveLength(rescued.events)
  for (const table of unchanging) {
    const before = rowsIn(original, table)
    expect([table, ...[...rowsIn(target, table)].filter((row) => !before.has(row))]).toEqual([table])
  }
  const store = value(await openSqliteStore(target))
  try {
    expect(value(await store.verify())).toEqual([])
    expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    const { last } = value(await store.head())
    expect(last).toBe(rescued.last_seq)
    expect(value(await store.append([event(9, { key: 'after' })]))).toMatchObject({
      accepted: 1,
      last: last + 1,
    })
  } finally {
    await store.close()
  }
}

const countPages = (path: string): number => Math.floor(readFileSync(path).length / PAGE)

describe('rescue of a store', () => {
  it('copies everything from an intact file, and leaves that file unchanged', async () => {
    const before = readFileSync(file)
    rmSync(`${file}-wal`, { force: true })
    const rescued = await rescue()
    expect(rescued).toMatchObject({
      events: EVENTS,
      first_seq: 1,
      last_seq: EVENTS,
      lost_events: 0,
      lost: [],
      unknown_pages: 0,
    })
    expect(rescued.tables.filter(({ lost_rows, lost_pages }) => lost_rows + lost_pages > 0)).toEqual([])
    for (const table of [...BESIDE, 'events', 'meta', 'accounts', 'account_agents', 'account_cost_sums'])
      expect([table, rowsIn(target, table)]).toEqual([table, rowsIn(original, table)])
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(readdirSync(place).sort()).toEqual(['ledger.db', 'rescued.db'])
    await expectSound(rescued)
  })

  it('copies what is only in the write-ahead log', async () => {
    copyStore(killed, file)
    const rescued = await rescue()
    expect(rescued).toMatchObject({ events: EVENTS, lost_events: 0 })
    await expectSound(rescued)
  })

  it.each([
    ['its first page is zeroed', () => change(file, (bytes) => bytes.fill(0, 0, PAGE)), 0],
    [
      'the beginning of its header is overwritten',
      () => change(file, (bytes) => bytes.fill(0xa5, 0, 100)),
      0,
    ],
    ['its pointer map is zeroed', () => change(file, (bytes) => bytes.fill(0, PAGE, 2 * PAGE)), 0],
    ['the root of the events is zeroed', () => change(file, (bytes) => bytes.fill(0, 2 * PAGE, 3 * PAGE)), 0],
    [
      'its first page and the pointer map are zeroed',
      () => change(file, (bytes) => bytes.fill(0, 0, 2 * PAGE)),
      // When both are lost, the pages of small tables cannot be told apart, but pages of events always can.
      0,
    ],
  ])('loses no event when %s', async (_, damage, lost) => {
    damage()
    const rescued = await rescue()
    expect(rescued).toMatchObject({ events: EVENTS - lost, lost_events: lost })
    await expectSound(rescued)
  })

  const seeds = Array.from({ length: 3 }, (_, at) => SEED * 100 + at)
  it.each(seeds)('loses no more than the damaged pages held (seed %i)', async (seed) => {
    const below = randomBelow(seed)
    const count = countPages(file)
    const damaged = new Set(Array.from({ length: 1 + below(12) }, () => below(count)))
    const fill = [0, 0xa5, 0xff, undefined][below(4)]
    change(file, (bytes) => {
      for (const page of damaged)
        for (let at = 0; at < PAGE; at += 1) bytes[page * PAGE + at] = fill ?? below(256)
    })
    const rescued = await rescue()
    expect(rescued.lost_events).toBeLessThanOrEqual(damaged.size * eventsByPage(original, 0).most)
    expect(rescued.events + rescued.lost_events).toBe(EVENTS)
    await expectSound(rescued)
  })

  it.each(seeds)('copies no wrong row from pages with damaged spots (seed %i)', async (seed) => {
    const below = randomBelow(seed)
    const count = countPages(file)
    change(file, (bytes) => {
      for (let spot = 0; spot < 20; spot += 1) {
        const at = below(count) * PAGE + below(PAGE - 16)
        bytes.fill(0xfe, at, at + 16)
      }
    })
    await expectSound(await rescue())
  })

  it.each([0.9, 0.5, 0.2])('copies what is left of a file that was truncated at %f', async (part) => {
    const end = Math.floor(readFileSync(file).length * part)
    truncateSync(file, end)
    const rescued = await rescue()
    // One event is longer than a page, and its end may be cut off.
    expect(rescued.events).toBeGreaterThanOrEqual(eventsByPage(original, end).before - 1)
    await expectSound(rescued)
  })

  it.each(seeds)('skips broken frames of the write-ahead log (seed %i)', async (seed) => {
    copyStore(killed, file)
    const below = randomBelow(seed)
    const log = `${file}-wal`
    const { length } = readFileSync(log)
    change(log, (bytes) => {
      for (let spot = 0; spot < 3; spot += 1) bytes.fill(0xa5, below(length), below(length))
    })
    // When a row changes over time, the rescue may find an earlier committed version of it.
    await expectSound(await rescue(), ['session_marks', 'contributions', 'unlocks', 'turns'])
  })

  it('reports which seqs were lost, and assigns none of them again', async () => {
    const rescued = await (async () => {
      change(file, (bytes) => bytes.fill(0, bytes.length - 8 * PAGE))
      return rescue()
    })()
    const rows = [...rowsIn(target, 'events')].map((row) => JSON.parse(row) as [number, string])
    const gone = rows.filter(([seq, key]) => key === `\u001f${seq}`).map(([seq]) => seq)
    const ranges = rescued.lost.flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_, at) => from + at),
    )
    expect(ranges).toEqual(gone)
    await expectSound(rescued)
  })

  it('does not bring back forgotten or deleted rows', async () => {
    const store = value(await openSqliteStore(file))
    const session = { source: 'custom', id: 'private' }
    value(await store.forgetting.begin([session]))
    value(await store.forgetting.remove([session]))
    value(await store.forgetting.end([session]))
    await store.close()
    const db = new DatabaseSync(file)
    db.exec('DELETE FROM chat_messages WHERE number <= 60; DELETE FROM contributions')
    db.close()
    const rescued = await rescue()
    expect(rescued.events).toBe(rowsIn(file, 'events').size - 1)
    expect(rowsIn(target, 'contributions').size).toBe(0)
    expect(rowsIn(target, 'chat_messages')).toEqual(rowsIn(file, 'chat_messages'))
  })

  it('refuses to overwrite a file, and writes nothing when nothing can be read', async () => {
    writeFileSync(target, 'mine')
    expect(await rescueStore(file, target)).toMatchObject({ ok: false, code: 'invalid' })
    expect(readFileSync(target, 'utf8')).toBe('mine')
    rmSync(target)
    writeFileSync(file, 'Dear diary, '.repeat(10_000))
    expect(await rescueStore(file, target)).toMatchObject({ ok: false, code: 'corrupt' })
    expect(existsSync(target)).toBe(false)
  })

  it('does not wait for a pipe in place of the store', async () => {
    rmSync(file)
    spawnSync('mkfifo', [file])
    expect(await rescueStore(file, target)).toMatchObject({ ok: false, code: 'io' })
    expect(await verifyStoreFile(file)).toMatchObject({ ok: false, code: 'io' })
    expect(await openSqliteStore(file)).toMatchObject({ ok: false, code: 'io' })
  })

  it('can be stopped, and leaves nothing behind', async () => {
    const before = readdirSync(place)
    const stop = new AbortController()
    const result = await rescueStore(file, target, { signal: stop.signal, onProgress: () => stop.abort() })
    expect(result).toMatchObject({ ok: false, code: 'stopped' })
    expect(readdirSync(place)).toEqual(before)
  })
})
