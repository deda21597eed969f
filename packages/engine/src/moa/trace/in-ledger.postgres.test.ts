import type { TraceRecord } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { value } from '../../ledger/conformance/lab.ts'
import { openLedger } from '../../ledger/place.ts'
import type { Ledger } from '../../ledger/port.ts'
import { type OwnDatabase, ownDatabase } from '../../ledger/team/postgres/database.test-kit.ts'
import { tracesInLedger } from './in-ledger.ts'
import { LONGEST_LINE } from './read.ts'
import { openTraces } from './traces.ts'

let database: OwnDatabase
let ledger: Ledger
beforeAll(async () => {
  database = await ownDatabase()
  ledger = value(await openLedger({ kind: 'postgres', url: database.url, space: 'main' }))
})
afterAll(async () => {
  await ledger.close()
  await database.drop()
})

const opened = (ofAll = 1e9) => {
  if (ledger.traces === null) throw new Error('The ledger keeps no traces.')
  const kept = tracesInLedger(ledger.traces, { ofSession: 1e9, ofAll })
  return { kept, traces: openTraces({ kept, secrets: () => ['my own key 1234'] }) }
}
const record = (text: string) => ({ turn_id: 't', text }) as unknown as TraceRecord

describe('traces in a ledger', () => {
  it('hold no key of a provider, and count what is none of ours', async () => {
    const { kept, traces } = opened()
    traces.write('s', () => record('it has my own key 1234 in it'))
    await traces.settled()
    const [row] = await database.ask('SELECT line FROM space_main.trace_lines')
    expect(row).toEqual({ line: '{"turn_id":"t","text":"it has [redacted] in it"}' })
    expect(value(await kept.read({ session: 's' }))).toEqual({ records: [], older: 0, unreadable: 1 })
    expect([kept.folder, traces.problem(), traces.lost(), traces.removed()]).toEqual([null, null, 0, 0])
  })

  it('say how many lines went because there was more than may be', async () => {
    const { traces } = opened(2_000)
    for (let n = 0; n < 10; n += 1) traces.write('s', () => record('x'.repeat(500)))
    await traces.settled()
    expect(traces.removed()).toBeGreaterThan(5)
    expect([traces.problem(), traces.lost()]).toEqual([null, 0])
  })

  it('say why a line was lost: one that is too long, and any while there is no ledger', async () => {
    const { traces } = opened()
    const told: (string | null)[] = []
    const write = async (text: string) => {
      traces.write('s', () => record(text), told.push.bind(told))
      await traces.settled()
    }
    await write('x'.repeat(LONGEST_LINE))
    await write('short')
    expect([traces.lost(), traces.problem()]).toEqual([1, null])
    await ledger.close()
    await write('short')
    expect([traces.lost(), traces.problem()]).toEqual([2, expect.stringContaining('is closed')])
    expect(told).toEqual([expect.stringContaining('more than 64 MB'), null, traces.problem()])
  })
})
