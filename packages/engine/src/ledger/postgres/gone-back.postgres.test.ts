import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { value } from '../conformance/lab.ts'
import type { Ledger } from '../port.ts'
import { openPostgresLedger } from './ledger.ts'
import { standbyOf } from './standby.test-kit.ts'

const url = inject('postgres')
let schema = ''
let client: Client
let ledger: Ledger

const events = (from: number, to: number, session: string) =>
  Array.from({ length: to - from + 1 }, (_, n) => ({
    v: 1 as const,
    key: `${session}-${from + n}`,
    ts: 1_000 + from + n,
    event: 'prompt' as const,
    source: 'custom' as const,
    host: 'studio',
    session_id: session,
  }))

beforeEach(async () => {
  schema = `back_${randomUUID().replaceAll('-', '')}`
  client = new Client({ connectionString: url })
  await client.connect()
  ledger = value(await openPostgresLedger({ url, schema, partition: 10 }))
})
afterEach(async () => {
  await ledger.close()
  await client.query(`DROP SCHEMA ${schema} CASCADE`)
  await client.end()
})

const sessionsOf = async (from: Ledger) =>
  Object.fromEntries(
    value(await from.sessions({ limit: 10 })).value.map(({ session_id, events }) => [session_id, events]),
  )

/** What is followed from the beginning, as `seq key`. */
function follow() {
  const end = new AbortController()
  const seen: string[] = []
  const following = (async () => {
    for await (const page of ledger.subscribe(0, end.signal))
      for (const { seq, json } of page) seen.push(`${seq} ${(JSON.parse(json) as { key: string }).key}`)
  })()
  return {
    seen,
    end: async () => {
      end.abort()
      await following
    },
  }
}

const asSeen = (from: number, to: number, session: string, seq: number) =>
  events(from, to, session).map(({ key }, n) => `${seq + n} ${key}`)

describe('a log that goes back under a running process', () => {
  it('is gone on with where it ends now, by who appends and who follows', async () => {
    value(await ledger.append(events(1, 15, 'first')))
    const standby = await standbyOf(url, schema)
    const { seen, end } = follow()
    value(await ledger.append(events(16, 25, 'first')))
    await expect.poll(() => seen.length).toBe(25)
    await standby.takeOver()
    await standby.close()
    // Longer than it takes to look by itself.
    await new Promise((wait) => setTimeout(wait, 1_500))
    expect(value(await ledger.append(events(1, 8, 'second'))).last).toBe(23)
    await expect.poll(() => seen.slice(25)).toEqual(asSeen(1, 8, 'second', 16))
    await end()
    expect(await sessionsOf(ledger)).toEqual({ first: 15, second: 8 })
    // Nothing of what never was is in the rows.
    value(await ledger.append(events(30, 31, 'first')))
    expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
  })

  it.each([5, 15])('is noticed though others have appended %i events to it at once', async (count) => {
    const other = value(await openPostgresLedger({ url, schema, partition: 10 }))
    value(await other.append([], { warm: '1' }))
    value(await ledger.append(events(1, 15, 'first')))
    const standby = await standbyOf(url, schema)
    const { seen, end } = follow()
    await expect.poll(() => seen.length).toBe(15)
    value(await ledger.append(events(16, 25, 'first')))
    await expect.poll(() => seen.length).toBe(25)
    const turned: (number | undefined)[] = []
    ledger.onTurned?.((back) => turned.push(back))
    await standby.takeOver(async () => {
      expect(value(await other.append(events(1, count, 'second'))).last).toBe(15 + count)
    })
    await standby.close()
    await expect.poll(() => seen.slice(25)).toEqual(asSeen(1, count, 'second', 16))
    expect(turned).toEqual([15])
    value(await ledger.append(events(40, 41, 'first')))
    await end()
    expect(await sessionsOf(ledger)).toEqual({ first: 17, second: count })
    expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
    await other.close()
  })

  it('is noticed by a process in which nobody follows, though others append all the time', async () => {
    const other = value(await openPostgresLedger({ url, schema, partition: 10 }))
    value(await other.append(events(1, 15, 'first')))
    const standby = await standbyOf(url, schema)
    const turned: (number | undefined)[] = []
    ledger.onTurned?.((back) => turned.push(back))
    for (let n = 16; n <= 30; n += 1) {
      value(await other.append(events(n, n, 'first')))
      await new Promise((wait) => setTimeout(wait, 120))
    }
    await standby.takeOver(async () => {
      expect(value(await other.append(events(1, 40, 'second'))).last).toBe(55)
    })
    await standby.close()
    await expect.poll(() => turned.length).toBe(1)
    expect(turned[0]).toBeLessThanOrEqual(15)
    await other.close()
  })
})
