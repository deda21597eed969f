import type { EventRow } from '@panoptes/engine/ledger'
import { expect, it } from 'vitest'
import { follow } from './follow.ts'

it('goes on after the last row it handed over when the ledger ends a subscription', async () => {
  const rows = [1, 2, 3].map((seq) => ({ seq, json: '{}' }) as EventRow)
  const stop = new AbortController()
  const asked: number[] = []
  const seen: number[] = []
  const subscribe = async function* (after: number) {
    asked.push(after)
    const next = rows.filter(({ seq }) => seq > after)
    if (next.length === 0 || asked.length > 5) stop.abort()
    else yield next.slice(0, 2)
  }
  await follow({ subscribe }, 0, ({ seq }) => seen.push(seq), stop.signal)
  expect(seen).toEqual([1, 2, 3])
  expect(asked).toEqual([0, 2, 3])
})
