import type { MoaTurn } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ScriptedServer, startScripted } from '../models/providers/scripted.test-kit.ts'
import { slotStats } from './service/slot-stats.ts'
import { addCall } from './stored-turn.ts'
import { callOf, slot, turnsOn, user } from './turn.test-kit.ts'

let server: ScriptedServer
beforeAll(async () => {
  server = await startScripted()
})
afterAll(() => server.close())

const ask = { messages: [user('q')], rest: {}, stream: true }
const about = { session: 's', from: 'gateway', traced: false } as const

describe('stored turn', () => {
  it('records that a stopped reference was asked and that its cost is unknown', async () => {
    server.script('slow', { hangs: true })
    const price = { input: 1, output: 1, cache_read: 1 }
    const run = turnsOn(server, {
      a: price,
      b: price,
      act: price,
      'local/large': { input: 1e9, output: 1e9 },
    })
    const call = callOf(
      await run({
        reference_models: [slot('slow'), slot('a'), slot('large'), slot('b')],
        quorum: 2,
        max_cost_usd: 1,
      }),
    )
    const turn = addCall(undefined, call, ask, about)
    expect(turn.slots.map(({ error, asked }) => [error?.class, asked])).toEqual([
      ['skipped', true],
      [undefined, undefined],
      ['skipped', false],
      [undefined, undefined],
      [undefined, undefined],
    ])
    expect(turn.cost_unknown).toBe(1)
    expect(
      slotStats([turn]).map(({ label, calls, failed, stopped }) => [label, calls, failed, stopped]),
    ).toEqual([
      ['local:slow', 1, 0, 1],
      ['local:a', 1, 0, undefined],
      ['local:b', 1, 0, undefined],
      ['local:act', 1, 0, undefined],
    ])
  })

  it.each([
    ['once', false],
    ['with every call', true],
  ])(
    'keeps the first references and the newest calls out of thousands, if references are asked %s',
    async (_, always) => {
      const call = callOf(await turnsOn(server)({}))
      let turn: MoaTurn | undefined
      for (let n = 1; n <= 2_500; n += 1) {
        const advised = n === 1 || always ? call.advised : []
        turn = addCall(turn, { ...call, advised, iteration: n }, ask, about)
      }
      expect(turn?.slots.length).toBeLessThanOrEqual(2_000)
      expect(turn?.slots.length).toBeGreaterThan(1_990)
      expect(turn?.slots.slice(0, 3).map(({ role }) => role)).toEqual([
        'reference',
        'reference',
        'aggregator',
      ])
      expect(turn?.slots.at(-1)).toMatchObject({ role: 'aggregator', iteration: 2_500 })
      expect(turn?.iterations).toBe(2_500)
    },
  )
})
