import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { event } from '../conformance/kit.ts'
import { value } from '../conformance/lab.ts'
import type { Ledger } from '../port.ts'
import { openSqliteLedger } from './ledger.ts'

let home = ''
let ledger: Ledger
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-parts-'))
  ledger = value(await openSqliteLedger(join(home, 'ledger.db')))
})
afterEach(async () => {
  await ledger.close()
  rmSync(home, { recursive: true, force: true })
})

describe('a list of agents that comes in parts', () => {
  it('is whole, in order, and as long as was asked for', async () => {
    const spawns = Array.from({ length: 620 }, (_, n) => ({
      ...event(n),
      event: 'agent_spawn',
      id: `a${n}`,
      parent_id: 'main',
      ts: 1_000_000 + n,
    }))
    value(await ledger.append(spawns))
    const ids = async (limit: number) =>
      value(await ledger.agents({ states: ['working'], limit })).value.map(({ id }) => id)
    const newest = spawns.map(({ id }) => id).toReversed()
    expect((await ids(10_000)).filter((id) => id !== 'main')).toEqual(newest)
    for (const limit of [1, 249, 250, 251, 500, 510]) expect(await ids(limit)).toHaveLength(limit)
    const [first, second] = await Promise.all([ids(400), ids(600)])
    expect(second.slice(0, 400)).toEqual(first)
    expect(value(await ledger.agents({ states: ['working'], limit: 600 })).seq).toBe(620)
  })
})
