import type { SavedFilter } from '@panoptes/schema'
import { expect, it } from 'vitest'
import type { PastSessions } from './access.ts'
import { filters, withSaved } from './filters.ts'
import { list } from './list.ts'
import { asked, homeWith, reply } from './sessions.test-kit.ts'

it('filters sessions by cost with an option or a saved filter', async () => {
  const { context, document, text } = homeWith({
    cheap: [asked('go'), reply('m1', 'claude-opus-4-8', { input_tokens: 1_000 })],
    dear: [asked('go'), reply('m2', 'claude-opus-4-8', { input_tokens: 100_000 })],
  })
  await list(context, { limit: 5, minCost: 500_000 })
  expect(document()).toMatchObject([{ id: 'dear' }])
  await filters(context, { save: 'costly', minCost: 5_000 })
  expect(text()).toBe('costly  min-cost=$0.005')

  const [saved] = document() as readonly SavedFilter[]
  const sessions = { filters: () => Promise.resolve([saved]) } as unknown as PastSessions
  expect(await withSaved(sessions, { filter: 'costly' })).toEqual({ min_cost_micro_usd: 5_000 })
  expect(await withSaved(sessions, { filter: 'costly', minCost: 7 })).toEqual({ min_cost_micro_usd: 7 })
})
