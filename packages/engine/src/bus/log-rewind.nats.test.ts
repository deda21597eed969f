import { pause } from '@panoptes/engine/abortable'
import { spaceSchema } from '@panoptes/engine/store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useNats, usePostgres } from '../../../../e2e/setup/shared-servers.ts'
import { type Standby, standbyOf } from '../store/postgres/standby.test-kit.ts'
import {
  dropSpace,
  type Hub,
  newSpace,
  openHub,
  parsed,
  tell,
  publisherEvent as toldBy,
  upTo,
  value,
} from './bus.test-kit.ts'

const postgres = usePostgres()
const url = useNats()
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

const receivedKeys = (hub: Hub): string[] => parsed(hub.rows).map(({ seq, key }) => `${seq} ${key}`)

const reached = (hub: Hub, count: number) =>
  expect.poll(() => hub.rows.length, { timeout: 30_000, interval: 20 }).toBe(count)

/** Waits longer than a subscriber needs to check the store itself and to hear the current end of the log. */
const looked = () => pause(1_500)

/** Stores 25 events, of which the standby has only the first 15. */
async function lacking(): Promise<Standby> {
  const buses = hubs.map(({ bus }) => bus)
  await tell('a', 15, buses)
  for (const hub of hubs) await reached(hub, 15)
  standby = await standbyOf(postgres, spaceSchema(space))
  expect(standby.last).toBe(15)
  // Events keep arriving, so that no hub finds the log in the state it left it.
  for (const n of upTo(10)) {
    await hubs[n % hubs.length]?.bus.publish([toldBy('b', n)])
    await pause(120)
  }
  for (const hub of hubs) await reached(hub, 25)
  return standby
}

const fromStandby = (publisher: string, count: number): string[] =>
  upTo(count).map((n) => `${16 + n} ${publisher}:${n}`)

describe('bus subscriber after a standby without the newest events took over', () => {
  it('receives the events that were stored in place of the lost ones', async () => {
    await (await lacking()).takeOver()
    await looked()
    await tell(
      'c',
      8,
      hubs.map(({ bus }) => bus),
    )
    for (const hub of hubs) await expect.poll(() => receivedKeys(hub).slice(-8)).toEqual(fromStandby('c', 8))
  })

  it.each([6, 14])('receives %i replacement events that others stored at once', async (count) => {
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
      expect(value(await other.store.append(events)).last).toBe(15 + count)
    })
    for (const hub of hubs) {
      // A hub that did not read in between cannot know exactly where the log was rewound, so some rows may
      // arrive twice.
      await expect.poll(() => receivedKeys(hub).slice(-count)).toEqual(fromStandby('d', count))
    }
  })
})
