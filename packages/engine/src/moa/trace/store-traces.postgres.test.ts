import type { TraceRecord } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { value } from '../../store/conformance/lab.ts'
import { openStore } from '../../store/open-store.ts'
import type { EventStore } from '../../store/port.ts'
import { type OwnDatabase, ownDatabase } from '../../store/team/postgres/database.test-kit.ts'
import { LONGEST_LINE } from './read.ts'
import { createStoreTraces, openTraces } from './traces.ts'

let database: OwnDatabase
let store: EventStore
beforeAll(async () => {
  database = await ownDatabase()
  store = value(await openStore({ kind: 'postgres', url: database.url, space: 'main' }))
})
afterAll(async () => {
  await store.close()
  await database.drop()
})

const opened = (ofAll = 1e9) => {
  if (store.traces === null) throw new Error('The ledger keeps no traces.')
  const kept = createStoreTraces(store.traces, { ofSession: 1e9, ofAll })
  return { kept, traces: openTraces({ kept, secrets: () => ['my own key 1234'] }) }
}
const record = (text: string) => ({ turn_id: 't', text }) as unknown as TraceRecord

describe('traces in the event store', () => {
  it('contain no provider key, and count lines that are not ours', async () => {
    const { kept, traces } = opened()
    traces.write('s', () => record('it has my own key 1234 in it'))
    await traces.drain()
    const [row] = await database.ask('SELECT line FROM space_main.trace_lines')
    expect(row).toEqual({ line: '{"turn_id":"t","text":"it has [redacted] in it"}' })
    expect(value(await kept.read({ session: 's' }))).toEqual({ records: [], older: 0, unreadable: 1 })
    expect([kept.folder, traces.problem(), traces.lost(), traces.removed()]).toEqual([null, null, 0, 0])
  })

  it('report how many lines were deleted because of the size limit', async () => {
    const { traces } = opened(2_000)
    for (let n = 0; n < 10; n += 1) traces.write('s', () => record('x'.repeat(500)))
    await traces.drain()
    expect(traces.removed()).toBeGreaterThan(5)
    expect([traces.problem(), traces.lost()]).toEqual([null, 0])
  })

  it('report why a line was lost: it was too long, or the event store was unavailable', async () => {
    const { traces } = opened()
    const told: (string | null)[] = []
    const write = async (text: string) => {
      traces.write('s', () => record(text), told.push.bind(told))
      await traces.drain()
    }
    await write('x'.repeat(LONGEST_LINE))
    await write('short')
    expect([traces.lost(), traces.problem()]).toEqual([1, null])
    await store.close()
    await write('short')
    expect([traces.lost(), traces.problem()]).toEqual([2, expect.stringContaining('is closed')])
    expect(told).toEqual(['Traces over 64 MB are not saved.', null, traces.problem()])
  })
})
