import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Candidate, History, Scanned } from './history.ts'
import { type ScanBatch, scanHistory } from './scan-history.ts'
import { complete } from './stored-contribution.ts'

const COUNT = 500
const listed = Array.from(
  { length: COUNT },
  (_, at): Candidate => ({
    id: `s${at}`,
    fingerprint: 'f',
    apart: false,
    about: {} as Candidate['about'],
  }),
)

const scannedBy = (by: string[], batch: readonly Candidate[]): readonly Scanned[] =>
  batch.map(({ id }) => {
    by.push(id)
    const about = { title: '', source: 'cli', model: null, started_at: null, last_at: null }
    return { contribution: { session_id: id, agent: 'hermes', ...about, values: complete({}) }, messages: 1 }
  })

/** Runs a scan with a second thread that may give up, and returns which thread read which session. */
async function scan(there: ScanBatch, read: string[]) {
  const here: string[] = []
  const set: string[] = []
  const history: History = {
    source: 'hermes',
    mark: () => undefined,
    list: async () => ({ sessions: listed, skipped: [] }),
    scan: async (batch) => {
      await nextTurn()
      return scannedBy(here, batch)
    },
    close: () => undefined,
  }
  const totals = await scanHistory({
    scope: 'x',
    history,
    known: new Map(),
    set: (id) => set.push(id),
    isForgotten: () => false,
    full: false,
    signal: new AbortController().signal,
    keep: () => undefined,
    progress: () => undefined,
    elsewhere: () => there,
  })
  return { here, there: read, set, totals }
}

const all = listed.map(({ id }) => id).sort()

describe('a scan on two threads', () => {
  it('reads each session once on either thread, and keeps the other thread busy', async () => {
    const read: string[] = []
    let waiting = 0
    let most = 0
    const done = await scan(async (batch) => {
      waiting += 1
      most = Math.max(most, waiting)
      await nextTurn()
      waiting -= 1
      return scannedBy(read, batch)
    }, read)
    expect([...done.here, ...done.there].sort()).toEqual(all)
    expect(done.set.toSorted()).toEqual(all)
    expect(Math.min(done.here.length, done.there.length, most - 1)).toBeGreaterThan(0)
    expect(done.totals).toMatchObject({ rescanned: COUNT, messages: COUNT, failed: 0 })
  })

  it('reads the sessions that the other thread gave up', async () => {
    const read: string[] = []
    const done = await scan(async (batch) => (read.length > 0 ? undefined : scannedBy(read, batch)), read)
    expect(done.there.length).toBeGreaterThan(0)
    expect(done.set.toSorted()).toEqual(all)
    expect(done.totals).toMatchObject({ rescanned: COUNT })
  })
})
