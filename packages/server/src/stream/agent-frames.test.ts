import { generateNewEvents } from '@panoptes/engine/demo'
import type { EventStore } from '@panoptes/engine/store'
import type { Agent, AgentIdentity } from '@panoptes/schema'
import { afterEach, describe, expect, it } from 'vitest'
import {
  overriding,
  type StreamReader,
  startTestServer,
  type TestServer,
  unwrap,
} from '../server.test-kit.ts'

let kit: TestServer | undefined
afterEach(() => kit?.stop())

const name = ({ source, session_id, id }: AgentIdentity) => `${source} ${session_id} ${id}`

/** Returns the agents that a client knows who applied every frame. */
function applied({ frames }: StreamReader): Record<string, Agent> {
  const known = new Map<string, Agent>()
  for (const frame of frames) {
    if (frame.type !== 'agents') continue
    for (const agent of frame.data as Agent[]) known.set(name(agent), agent)
    for (const agent of (frame.gone ?? []) as AgentIdentity[]) known.delete(name(agent))
  }
  return Object.fromEntries(known)
}

/** The ways in which a store lets the stream know which agents changed. */
const WAYS: Record<string, (store: EventStore) => EventStore> = {
  'hands changed agents over': (store) => store,
  'only names changed agents': (store) =>
    overriding(store, {
      onAgentsChanged: (listener) =>
        store.onAgentsChanged?.(({ seq, agents }) =>
          listener({ seq, agents: agents.map(({ json: _json, ...identity }) => identity) }),
        ) ?? (() => undefined),
    }),
  // PostgreSQL does not have the method.
  'is also written by other processes': (store) =>
    new Proxy(overriding(store, {}), {
      get: (target, key) => (key === 'onAgentsChanged' ? undefined : Reflect.get(target, key)),
    }),
}

describe.each(Object.entries(WAYS))('the agents frames of a store that %s', (_, wrap) => {
  it('lead every client to the agents of the store', async () => {
    kit = await startTestServer({ wrap })
    const { store } = kit
    const stream = await kit.stream('?agents=1&batch=1')
    const events = [...generateNewEvents({ seed: 7, events: 900 })]
    const appends = []
    for (let at = 0; at < events.length; at += 9) appends.push(store.append(events.slice(at, at + 9)))
    for (const append of appends) unwrap(await append)
    const of = { source: 'claude-code', session_id: 'linked' }
    await kit.post({ event: 'session_start', ...of }, { event: 'agent_spawn', ...of, id: 'toolu_9' })
    await expect.poll(() => applied(stream)).toHaveProperty(['claude-code linked toolu_9'])
    await kit.post({ event: 'agent_link', ...of, id: 'a9', tool_use_id: 'toolu_9' })
    const now = unwrap(await store.agents({ limit: 10_000 })).value
    const expected = Object.fromEntries(now.map((agent) => [name(agent), agent]))
    expect(expected).toHaveProperty(['claude-code linked a9'])
    await expect.poll(() => applied(stream)).toEqual(expected)
    const gone = stream.frames.flatMap((frame) => frame.gone ?? [])
    expect(gone).toEqual([{ ...of, id: 'toolu_9' }])
  })
})

it('reads no agent of a store that hands them over', async () => {
  let reads = 0
  kit = await startTestServer({
    wrap: (store) =>
      overriding(store, {
        agents: (query) => {
          if (query.of !== undefined) reads += 1
          return store.agents(query)
        },
      }),
  })
  const stream = await kit.stream('?agents=1')
  await kit.post({ event: 'agent_spawn', source: 'x', session_id: 's', id: 'a' })
  await expect.poll(() => applied(stream)).toHaveProperty(['x s a'])
  expect(reads).toBe(0)
})
