import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import { config, type NewEvent, type Result } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readAgingTime } from './follow-sessions.ts'
import { Retention, retentionChecks, type Unsent } from './retention.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MEGABYTE = 1_048_576

const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

/** About one kilobyte per event, all from the same day. */
const events = (count: number, ts: number): NewEvent[] =>
  Array.from({ length: count }, (_, number) => ({
    v: 1,
    key: `k${ts}-${number}`,
    ts: ts + number,
    event: 'prompt',
    source: 'custom',
    host: 'studio',
    session_id: 's1',
    prompt_preview: `${number} `.padEnd(800, 'words '),
  }))

describe('retention while events wait for forwarding', () => {
  let folder: string
  let store: EventStore
  const { signal } = new AbortController()
  const limits = (retention: object) => config.parse({ retention })
  const unsent = (sentTo: number | undefined, max_waiting_mb: number) => ({
    sentTo: () => sentTo,
    settings: () => ({ max_waiting_mb }),
  })
  /** A round of a new process, long after the previous one. */
  const dropOld = async (policy: ReturnType<typeof limits>, waiting?: Unsent) => {
    value(await store.append([], { 'retention-clock': '' }))
    return value(await new Retention(store, policy, waiting).run(signal))
  }
  const first = async () => value(await store.head()).first

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'panoptes-unsent-'))
    store = value(await openSqliteStore(join(folder, 'ledger.db')))
  })
  afterEach(async () => {
    await store.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('drops old events that were sent and keeps old events that were not', async () => {
    value(await store.append(events(200, Date.now() - 40 * DAY_MS)))
    value(await store.append(events(2_000, Date.now() - 2_000)))
    const month = limits({ max_age_days: 30, max_size_mb: null })
    expect(await dropOld(month, unsent(120, 16))).toMatchObject({ old: 120, unsent: 0 })
    expect(await first()).toBe(121)
    expect(await dropOld(month, unsent(undefined, 16))).toMatchObject({ old: 80, unsent: 0 })
  })

  it('keeps unsent events only up to the limit, and reports how many were dropped', async () => {
    for (let at = 0; at < 24; at += 1) value(await store.append(events(1_000, Date.now() + at * 2_000)))
    expect(value(await store.info()).bytes).toBeGreaterThan(20 * MEGABYTE)
    const small = limits({ max_age_days: null, max_size_mb: 16 })
    // Waiting events still fit, so nothing is dropped although the store exceeds its limit.
    expect(await dropOld(small, unsent(0, 64))).toMatchObject({ old: 0, unsent: 0 })
    const dropped = await dropOld(small, unsent(2_000, 18))
    expect(dropped.old).toBe(2_000)
    expect(dropped.unsent).toBeGreaterThan(0)
    expect(await first()).toBe(2_001 + dropped.unsent)
    const { bytes } = value(await store.info())
    expect(bytes).toBeLessThanOrEqual(18 * MEGABYTE)
    expect(bytes).toBeGreaterThan(15 * MEGABYTE)
  })

  it('drops unsent events only by age if the store has no size limit', async () => {
    value(await store.append(events(500, Date.now() - 40 * DAY_MS)))
    for (let at = 0; at < 20; at += 1) value(await store.append(events(1_000, Date.now() + at * 2_000)))
    const month = limits({ max_age_days: 30, max_size_mb: null })
    expect(await dropOld(month, unsent(0, 16))).toMatchObject({ old: 0, unsent: 500 })
    const all = limits({ max_age_days: null, max_size_mb: null })
    expect(await dropOld(all, unsent(0, 16))).toMatchObject({ old: 0, unsent: 0 })
  })
})

describe('retention when the clock jumps', () => {
  let folder: string
  let store: EventStore
  let now: number
  let uptimeMs: number
  const { signal } = new AbortController()
  const month = config.parse({ retention: { max_age_days: 30, max_size_mb: null } })
  const time = { now: () => now, uptimeMs: () => uptimeMs }
  const start = () => new Retention(store, month, undefined, time)
  const count = async () => {
    const { first, last } = value(await store.head())
    return last - first + 1
  }
  const pass = (ms: number) => {
    now += ms
    uptimeMs += ms
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'panoptes-clock-'))
    store = value(await openSqliteStore(join(folder, 'ledger.db')))
    now = Date.now()
    uptimeMs = 1_000
    value(await store.append(events(500, now - 20 * DAY_MS)))
    value(await store.append(events(500, now - 1_000)))
  })
  afterEach(async () => {
    await store.close()
    await rm(folder, { recursive: true, force: true })
  })

  it.each([
    ['ahead', 400 * DAY_MS],
    ['back', -400 * DAY_MS],
  ])(
    'drops nothing after the clock jumps %s while Panoptes runs, and reports that it waits',
    async (way, jump) => {
      // The last event has an old timestamp: if the others counted as future, it would pull all of them along.
      value(await store.append([{ ...events(1, 0)[0], ts: 1 } as NewEvent]))
      const retention = start()
      value(await retention.run(signal))
      const before = await count()
      now += jump
      for (let round = 0; round < 20; round += 1) {
        pass(HOUR_MS)
        expect(value(await retention.run(signal))).toMatchObject({ old: 0, waits: true })
      }
      expect(await count()).toBe(before)
      expect(await retentionChecks(store, month)).toMatchObject([
        { id: 'retention', state: 'warning', cause: expect.stringContaining(`400 days ${way}`) },
      ])
      now -= jump
      expect(value(await retention.run(signal)).waits).toBe(false)
      expect(await retentionChecks(store, month)).toEqual([])
    },
  )

  it('drops nothing if the clock jumped while Panoptes was stopped, even after restarts', async () => {
    value(await start().run(signal))
    now += 400 * DAY_MS
    for (let restart = 0; restart < 5; restart += 1) {
      pass(HOUR_MS)
      expect(value(await start().run(signal))).toMatchObject({ old: 0, waits: true })
    }
    expect(await count()).toBe(1_000)
  })

  it('ages sessions by the time that it trusts, which is unknown at first', async () => {
    expect(await readAgingTime(store)).toBeNull()
    const retention = start()
    value(await retention.run(signal))
    const trusted = now
    expect(await readAgingTime(store)).toBe(trusted)
    now += 400 * DAY_MS
    pass(HOUR_MS)
    value(await retention.run(signal))
    expect(await readAgingTime(store)).toBe(trusted + HOUR_MS)
  })

  it('waits at the first start after an older version if the newest event shows a jump', async () => {
    now += 400 * DAY_MS
    expect(value(await start().run(signal))).toMatchObject({ old: 0, waits: true })
  })

  it('trusts the clock after a day, and then drops at most a tenth per hour', async () => {
    const retention = start()
    value(await retention.run(signal))
    now += 15 * DAY_MS
    const dropped: number[] = []
    for (let round = 0; round < 60; round += 1) {
      pass(HOUR_MS / 2)
      const were = await count()
      const { old } = value(await retention.run(signal))
      dropped.push(old)
      expect(old).toBeLessThanOrEqual(were / 10)
    }
    expect(dropped.slice(0, 47).every((old) => old === 0)).toBe(true)
    expect(dropped.some((old) => old > 0)).toBe(true)
    expect(await count()).toBeGreaterThan(500)
  })

  it('does not treat a night of sleep as a clock jump', async () => {
    const retention = start()
    value(await retention.run(signal))
    for (let night = 0; night < 12; night += 1) {
      pass(12 * HOUR_MS)
      expect(value(await retention.run(signal)).waits).toBe(false)
    }
  })
})
