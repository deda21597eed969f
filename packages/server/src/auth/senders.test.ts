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
  for (const host of ['desk', 'desk', 'laptop', 'laptop', 'desk']) senders.saw(caller('t'), host)
  expect(written.splice(0)).toEqual(['t desk', 't laptop', 't desk'])
  now = 59_000
  senders.saw(caller('t'), 'desk')
  senders.saw(caller(null), 'desk')
  senders.saw(undefined, 'desk')
  expect(written).toEqual([])
  now = 60_001
  senders.saw(caller('t'), 'desk')
  expect(written.splice(0)).toEqual(['t desk'])
  isAway = true
  senders.saw(caller('u'), 'desk')
  await Promise.resolve()
  isAway = false
  senders.saw(caller('u'), 'desk')
  expect(written).toEqual(['u desk'])
})
