import { expect, it } from 'vitest'
import type { Evaluated } from './calls.ts'
import { metaOf, withKnown } from './scan-meta.ts'

const EVALUATED: Evaluated = {
  items: [],
  aggregate: {} as Evaluated['aggregate'],
  sessions: 3_005,
  messages: 90_000,
  skipped: [],
  unlocked: [],
}

it('includes sessions counted earlier in the progress of a resumed scan', () => {
  const meta = { ...metaOf([], EVALUATED, 1, null), sessions_rescanned: 5, sessions_total: 100 }
  expect(withKnown(meta, EVALUATED)).toMatchObject({
    sessions_total: 3_100,
    sessions_rescanned: 5,
    sessions_reused: 3_000,
    messages_scanned: 90_000,
  })
})

it('reports an incremental scan if there were earlier results, even if none could be reused', () => {
  const totals = { rescanned: 2, reused: 0, messages: 2, failed: 0, skipped: [] }
  expect(metaOf([{ ...totals, goesOn: true }], EVALUATED, 1, null).mode).toBe('incremental')
  expect(metaOf([{ ...totals, goesOn: false }], EVALUATED, 1, null).mode).toBe('full')
})
