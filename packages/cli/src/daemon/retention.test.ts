import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openSqliteLedger } from '@panoptes/engine/ledger'
import { config, type NewEvent, type Result } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dropOld } from './retention.ts'

const DAY_MS = 86_400_000
const MEGABYTE = 1_048_576

const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

/** Events of about a kilobyte, all of one day. */
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

describe('retention while something waits to be sent', () => {
  let folder: string
  let ledger: Ledger
  const { signal } = new AbortController()
  const limits = (retention: object) => config.parse({ retention })
  const unsent = (sentTo: number | undefined, max_waiting_mb: number) => ({
    sentTo: () => sentTo,
    settings: () => ({ max_waiting_mb }),
  })
  const first = async () => value(await ledger.head()).first

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'panoptes-unsent-'))
    ledger = value(await openSqliteLedger(join(folder, 'ledger.db')))
  })
  afterEach(async () => {
    await ledger.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('drops what is old and sent, and keeps what is old and not', async () => {
    value(await ledger.append(events(200, Date.now() - 40 * DAY_MS)))
    const month = limits({ max_age_days: 30, max_size_mb: null })
    expect(value(await dropOld(ledger, month, signal, unsent(120, 16)))).toEqual({ old: 120, unsent: 0 })
    expect(await first()).toBe(121)
    expect(value(await dropOld(ledger, month, signal, unsent(undefined, 16)))).toEqual({ old: 80, unsent: 0 })
  })

  it('keeps no more unsent than may wait, and says how much went', async () => {
    for (let at = 0; at < 24; at += 1) value(await ledger.append(events(1_000, Date.now() + at * 2_000)))
    expect(value(await ledger.info()).bytes).toBeGreaterThan(20 * MEGABYTE)
    const small = limits({ max_age_days: null, max_size_mb: 16 })
    // There is room for what waits: nothing goes, although the ledger is larger than it should be.
    expect(value(await dropOld(ledger, small, signal, unsent(0, 64)))).toEqual({ old: 0, unsent: 0 })
    const dropped = value(await dropOld(ledger, small, signal, unsent(2_000, 18)))
    expect(dropped.old).toBe(2_000)
    expect(dropped.unsent).toBeGreaterThan(0)
    expect(await first()).toBe(2_001 + dropped.unsent)
    const { bytes } = value(await ledger.info())
    expect(bytes).toBeLessThanOrEqual(18 * MEGABYTE)
    expect(bytes).toBeGreaterThan(15 * MEGABYTE)
  })

  it('drops what waits by its age alone where the ledger has no other limit', async () => {
    value(await ledger.append(events(500, Date.now() - 40 * DAY_MS)))
    for (let at = 0; at < 20; at += 1) value(await ledger.append(events(1_000, Date.now() + at * 2_000)))
    const month = limits({ max_age_days: 30, max_size_mb: null })
    expect(value(await dropOld(ledger, month, signal, unsent(0, 16)))).toEqual({ old: 0, unsent: 500 })
    const all = limits({ max_age_days: null, max_size_mb: null })
    expect(value(await dropOld(ledger, all, signal, unsent(0, 16)))).toEqual({ old: 0, unsent: 0 })
  })
})
