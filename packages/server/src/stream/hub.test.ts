import type { EventStore } from '@panoptes/engine/store'
import type { NewEvent } from '@panoptes/schema'
import { afterEach, expect, it } from 'vitest'
import { overriding, session, startTestServer, type TestServer, unwrap } from '../server.test-kit.ts'

let kit: TestServer | undefined
afterEach(() => kit?.stop())

const event = (n: number, session_id: string): NewEvent => ({
  v: 1,
  key: `k${n}`,
  ts: n,
  event: 'prompt',
  source: 'custom',
  host: 'studio',
  session_id,
})

/** Three events of which the last two were forgotten: the log ends with seqs that have no event. */
async function endForgotten(store: EventStore): Promise<void> {
  unwrap(await store.append([event(1, 'kept'), event(2, 'gone'), event(3, 'gone')]))
  const gone = [{ source: 'custom', id: 'gone' }]
  unwrap(await store.forgetting.begin(gone))
  unwrap(await store.forgetting.remove(gone))
  unwrap(await store.forgetting.end(gone))
}

it('sends a client the rows that arrived while an empty page was read for it', async () => {
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  kit = await startTestServer({
    before: endForgotten,
    wrap: (store) =>
      overriding(store, {
        read: async (range, filter) => {
          const page = await store.read(range, filter)
          if ('after' in range && page.ok && page.value.rows.length === 0) {
            held.resolve()
            await release.promise
          }
          return page
        },
      }),
  })
  const [behind, ahead] = await Promise.all([kit.stream('?since=0'), kit.stream('?since=3')])
  await held.promise
  await kit.post(session('meanwhile'))
  await ahead.reached(4)
  release.resolve()
  await kit.post(session('after'))
  await behind.reached(5)
  expect(behind.seqs()).toEqual([1, 4, 5])
})
