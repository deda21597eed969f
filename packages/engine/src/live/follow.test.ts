import type { EventRow } from '@panoptes/engine/store'
import { expect, it } from 'vitest'
import { follow } from './follow.ts'

it('resumes after the last delivered row when the store ends a subscription', async () => {
  const rows = [1, 2, 3].map((seq) => ({ seq, json: '{}' }) as EventRow)
  const stop = new AbortController()
  const starts: number[] = []
  const seen: number[] = []
  const subscribe = async function* (after: number) {
    starts.push(after)
    const next = rows.filter(({ seq }) => seq > after)
    if (next.length === 0 || starts.length > 5) stop.abort()
    else yield next.slice(0, 2)
  }
  await follow({ subscribe }, 0, ({ seq }) => seen.push(seq), stop.signal)
  expect(seen).toEqual([1, 2, 3])
  expect(starts).toEqual([0, 2, 3])
})
