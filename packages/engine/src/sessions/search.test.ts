import type { SessionSource } from '@panoptes/engine/sources'
import type { SessionIndex } from '@panoptes/engine/store'
import { success } from '@panoptes/schema/result'
import { expect, it } from 'vitest'
import { search } from './search.ts'

const hit = (session_id: string, n: number) => ({
  source: 'slow',
  session_id,
  n,
  id: `m${n}`,
  agent_id: 'main',
  role: 'user' as const,
  ts: null,
  title: null,
  project: null,
  place: session_id,
})

/** Two sessions with one hit each, far from the start. */
function slow() {
  const read: string[] = []
  let searches = 0
  const index = {
    search: () => {
      searches += 1
      return Promise.resolve(success([hit('a', 900), hit('b', 900)]))
    },
  } as unknown as SessionIndex
  const source: SessionSource = {
    name: 'slow',
    list: async function* () {},
    read: async function* ({ id }) {
      for (let n = 0; n < 1_000; n += 1) {
        read.push(`${id} ${n}`)
        const message = { id: `m${n}`, session_id: id, agent_id: 'main', role: 'user' as const }
        const content = [{ type: 'text' as const, text: `words ${n}` }]
        const rest = { ts: null, model: null, usage: null, state: 'active' as const, hidden: false }
        yield { kind: 'message', message: { ...message, ...rest, content } }
      }
    },
    watch: () => () => undefined,
  }
  const run = (stopped?: () => boolean) =>
    search({ index, sources: new Map([['slow', source]]) }, { text: 'words', limit: 5 }, stopped)
  return { read, run, searches: () => searches }
}

it('stops reading when nobody waits for it', async () => {
  const { read, run } = slow()
  await expect(run(() => read.length >= 10)).rejects.toMatchObject({ failure: { code: 'stopped' } })
  expect(read).toHaveLength(10)
})

it('does not start when it was aborted before its turn', async () => {
  const { read, run, searches } = slow()
  let stopped = false
  const running = run(() => stopped)
  stopped = true
  await expect(running).rejects.toMatchObject({ failure: { code: 'stopped' } })
  expect([searches(), read.length]).toEqual([0, 0])
})

it('returns the words around each hit otherwise', async () => {
  const { run } = slow()
  expect((await run()).map(({ session_id, snippet }) => [session_id, snippet])).toEqual([
    ['a', 'words 900'],
    ['b', 'words 900'],
  ])
})
