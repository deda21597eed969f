import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { event } from '../conformance/event-kit.ts'
import { value } from '../conformance/lab.ts'
import type { EventStore } from '../port.ts'
import { openSqliteStore } from './sqlite-store.ts'

let home = ''
let store: EventStore
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-parts-'))
  store = value(await openSqliteStore(join(home, 'ledger.db')))
})
afterEach(async () => {
  await store.close()
  rmSync(home, { recursive: true, force: true })
})

describe('list of agents that arrives in parts', () => {
  it('is complete, in order, and within the limit', async () => {
    const spawns = Array.from({ length: 620 }, (_, n) => ({
      ...event(n),
      event: 'agent_spawn',
      id: `a${n}`,
      parent_id: 'main',
      ts: 1_000_000 + n,
    }))
    value(await store.append(spawns))
    const ids = async (limit: number) =>
      value(await store.agents({ states: ['working'], limit })).value.map(({ id }) => id)
    const newest = spawns.map(({ id }) => id).toReversed()
    expect((await ids(10_000)).filter((id) => id !== 'main')).toEqual(newest)
    for (const limit of [1, 249, 250, 251, 500, 510]) expect(await ids(limit)).toHaveLength(limit)
    const [first, second] = await Promise.all([ids(400), ids(600)])
    expect(second.slice(0, 400)).toEqual(first)
    expect(value(await store.agents({ states: ['working'], limit: 600 })).seq).toBe(620)
  })
})
