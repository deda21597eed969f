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

it('counts also what was known before, while a scan that was interrupted goes on', () => {
  const meta = { ...metaOf([], EVALUATED, 1, null), sessions_rescanned: 5, sessions_total: 100 }
  expect(withKnown(meta, EVALUATED)).toMatchObject({
    sessions_total: 3_100,
    sessions_rescanned: 5,
    sessions_reused: 3_000,
    messages_scanned: 90_000,
  })
})

it('is of some sessions where something was known before, also where none of it could be used again', () => {
  const totals = { rescanned: 2, reused: 0, messages: 2, failed: 0, skipped: [] }
  expect(metaOf([{ ...totals, goesOn: true }], EVALUATED, 1, null).mode).toBe('incremental')
  expect(metaOf([{ ...totals, goesOn: false }], EVALUATED, 1, null).mode).toBe('full')
})
