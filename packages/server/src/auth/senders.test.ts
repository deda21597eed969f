import { failure, success } from '@panoptes/schema'
import { expect, it } from 'vitest'
import type { Caller } from '../authenticate.ts'
import { createSenders } from './senders.ts'

const caller = (token_id: string | null) => ({ identity: { token_id } }) as unknown as Caller

it('records the computer that sends when it changes, and otherwise once a minute', async () => {
  const written: string[] = []
  let now = 0
  let isAway = false
  const senders = createSenders(
    {
      sawHost: async (id, host) => {
        if (isAway) return failure('busy', 'away')
        written.push(`${id} ${host}`)
        return success(null)
      },
    },
    () => now,
  )
  for (const host of ['desk', 'desk', 'laptop', 'laptop', 'desk']) senders.record(caller('t'), host)
  expect(written.splice(0)).toEqual(['t desk', 't laptop', 't desk'])
  now = 59_000
  senders.record(caller('t'), 'desk')
  senders.record(caller(null), 'desk')
  senders.record(undefined, 'desk')
  expect(written).toEqual([])
  now = 60_001
  senders.record(caller('t'), 'desk')
  expect(written.splice(0)).toEqual(['t desk'])
  isAway = true
  senders.record(caller('u'), 'desk')
  await Promise.resolve()
  isAway = false
  senders.record(caller('u'), 'desk')
  expect(written).toEqual(['u desk'])
})
