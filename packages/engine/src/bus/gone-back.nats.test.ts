import { schemaOf } from '@panoptes/engine/ledger'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { type Standby, standbyOf } from '../ledger/postgres/standby.test-kit.ts'
import {
  dropSpace,
  type Hub,
  newSpace,
  openHub,
  parsed,
  tell,
  told as toldBy,
  upTo,
  value,
} from './bus.test-kit.ts'

const postgres = inject('postgres')
const url = inject('nats')
let space = ''
let hubs: readonly Hub[] = []
let standby: Standby | undefined

beforeEach(async () => {
  space = newSpace()
  hubs = await Promise.all([openHub({ url, postgres, space }), openHub({ url, postgres, space })])
})
afterEach(async () => {
  for (const hub of hubs) await hub.close()
  await standby?.close()
  await dropSpace(postgres, space)
})

const told = (hub: Hub): string[] => parsed(hub.rows).map(({ seq, key }) => `${seq} ${key}`)

const reached = (hub: Hub, count: number) =>
  expect.poll(() => hub.rows.length, { timeout: 30_000, interval: 20 }).toBe(count)

/** Longer than it takes to look by oneself, and to be told how far the log is. */
const looked = () => new Promise((wait) => setTimeout(wait, 1_500))

/** Everybody has 25 events, of which a standby has the first 15. */
async function lacking(): Promise<Standby> {
  const buses = hubs.map(({ bus }) => bus)
  await tell('a', 15, buses)
  for (const hub of hubs) await reached(hub, 15)
  standby = await standbyOf(postgres, schemaOf(space))
  expect(standby.last).toBe(15)
  // All the time, so that nobody finds the log as they left it.
  for (const n of upTo(10)) {
    await hubs[n % hubs.length]?.bus.publish([toldBy('b', n)])
    await new Promise((wait) => setTimeout(wait, 120))
  }
  for (const hub of hubs) await reached(hub, 25)
  return standby
}

const fromStandby = (publisher: string, count: number): string[] =>
  upTo(count).map((n) => `${16 + n} ${publisher}:${n}`)

describe('whoever follows by the bus, after a standby that lacks the last events took over', () => {
  it('gets what is stored in their place', async () => {
    await (await lacking()).takeOver()
    await looked()
    await tell(
      'c',
      8,
      hubs.map(({ bus }) => bus),
    )
    for (const hub of hubs) await expect.poll(() => told(hub).slice(-8)).toEqual(fromStandby('c', 8))
  })

  it.each([6, 14])('gets the %i events that others stored in their place at once', async (count) => {
    const other = await openHub({ url, postgres, space })
    hubs = [...hubs, other]
    await (await lacking()).takeOver(async () => {
      const events = upTo(count).map((n) => ({
        v: 1 as const,
        key: `d:${n}`,
        ts: n,
        event: 'prompt' as const,
        source: 'custom' as const,
        host: 'd',
        session_id: 'd',
      }))
      expect(value(await other.ledger.append(events)).last).toBe(15 + count)
    })
    for (const hub of hubs) {
      // Where exactly it went back is not known where nobody looked meanwhile: some may come twice.
      await expect.poll(() => told(hub).slice(-count)).toEqual(fromStandby('d', count))
    }
  })
})
