import type { Agent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { createStore } from '../../store.ts'
import type { Tail, TailListener, TailState } from '../../stream/tail.ts'
import { agent, NOW } from '../agents.test-kit.ts'
import { toAgentKey } from './agent-key.ts'
import { createAgentMap, findSuccessor, followAgents } from './live-agents.ts'

function fakeTail() {
  const listeners: TailListener[] = []
  const tail: Tail = {
    state: createStore<TailState>({ link: 'connected', retryAt: null, lostAt: null, latest: null }),
    listen: (listener) => {
      listeners.push(listener)
      return () => undefined
    },
    retry: () => undefined,
    stop: () => undefined,
  }
  return { tail, say: (tell: (listener: TailListener) => void) => listeners.forEach(tell) }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the agents of the page', () => {
  it('combine the snapshot, ended agents and stream updates', async () => {
    const { tail, say } = fakeTail()
    const ended = agent({ id: 'old', state: 'done', ended_at: NOW })
    const store = followAgents({
      tail,
      everyMs: 0,
      read: async () => [ended, agent({ last_at: NOW - 9_000 })],
    })
    expect(store.get().phase).toBe('loading')
    say((listener) => listener.onAlive?.([agent()], 0))
    await settled()
    expect(store.get().phase).toBe('ready')
    expect(store.get().agents.map((one) => one.id)).toEqual(['a1', 'old'])
    expect(store.get().agents[0]?.last_at).toBe(NOW - 1_000)
    say((listener) => listener.onAgents?.([agent({ state: 'waiting', last_at: NOW })], []))
    expect(store.get().agents.find((one) => one.id === 'a1')?.state).toBe('waiting')
  })

  it('are fetched again after a reconnect, so that agents which ended meanwhile show as ended', async () => {
    const { tail, say } = fakeTail()
    let known: readonly Agent[] = []
    const store = followAgents({ tail, everyMs: 0, read: async () => known })
    say((listener) => listener.onAlive?.([agent(), agent({ id: 'b' })], 0))
    await settled()
    known = [agent({ id: 'b', state: 'done', ended_at: NOW, last_at: NOW })]
    say((listener) => listener.onAlive?.([agent()], 0))
    await settled()
    expect(store.get().agents.map((one) => [one.id, one.state])).toEqual([
      ['a1', 'working'],
      ['b', 'done'],
    ])
  })

  it('are unknown again after another store answered, until its agents have loaded', async () => {
    const { tail, say } = fakeTail()
    const store = followAgents({ tail, everyMs: 0, read: async () => [agent()] })
    say((listener) => listener.onAlive?.([agent()], 0))
    await settled()
    say((listener) => listener.onReset?.())
    expect(store.get()).toMatchObject({ phase: 'loading', agents: [] })
    say((listener) => listener.onAlive?.([], 0))
    await settled()
    expect(store.get()).toMatchObject({ phase: 'ready', agents: [{ id: 'a1' }] })
  })

  it('stay marked as failed when an update follows a failed request', async () => {
    const { tail, say } = fakeTail()
    const store = followAgents({ tail, everyMs: 0, read: () => Promise.reject(new Error('refused')) })
    say((listener) => listener.onAlive?.([agent()], 0))
    await settled()
    say((listener) => listener.onAgents?.([agent({ id: 'b' })], []))
    expect(store.get()).toMatchObject({ phase: 'failed', agents: [{ id: 'a1' }, { id: 'b' }] })
  })

  it('drop the first id of an agent that gets a new one', async () => {
    const { tail, say } = fakeTail()
    const first = agent({ id: 'toolu_1' })
    const store = followAgents({ tail, everyMs: 0, read: async () => [first] })
    say((listener) => listener.onAlive?.([first], 0))
    say((listener) => listener.onAgents?.([agent({ id: 'a7', tool_use_id: 'toolu_1' })], [first]))
    await settled()
    expect(store.get().agents.map((one) => one.id)).toEqual(['a7'])
  })

  it('show alive agents at once and count the ones left out', () => {
    const { tail, say } = fakeTail()
    const store = followAgents({ tail, everyMs: 0, read: () => new Promise(() => undefined) })
    say((listener) => listener.onAlive?.([agent()], 2_345))
    expect(store.get()).toMatchObject({ phase: 'loading', agents: [{ id: 'a1' }], leftOut: 2_345 })
  })

  it('report a failed request', async () => {
    const { tail, say } = fakeTail()
    const store = followAgents({ tail, everyMs: 0, read: () => Promise.reject(new Error('no')) })
    say((listener) => listener.onAlive?.([], 0))
    await settled()
    expect(store.get().phase).toBe('failed')
  })
})

describe('an agent that was named by its call', () => {
  const key = toAgentKey(agent({ id: 'toolu_1' }))

  it('is replaced by the agent that the call created', () => {
    const made = agent({ id: 'a7', tool_use_id: 'toolu_1' })
    expect(findSuccessor([agent(), made], key)).toBe(toAgentKey(made))
    expect(findSuccessor([agent({ id: 'toolu_1' }), made], key)).toBeNull()
    expect(findSuccessor([agent({ ...made, session_id: 's2' })], key)).toBeNull()
    expect(findSuccessor([made], null)).toBeNull()
  })
})

describe('the map of agents', () => {
  it('does not let an older response overwrite a stream update', () => {
    const map = createAgentMap()
    map.tell([agent({ state: 'done', last_at: NOW })])
    map.fill([agent({ last_at: NOW - 5_000 })])
    expect(map.values()[0]?.state).toBe('done')
    map.fill([agent({ last_at: NOW })])
    expect(map.values()[0]?.state).toBe('done')
    map.fill([agent({ last_at: NOW + 1 })])
    expect(map.values()[0]?.state).toBe('working')
  })

  it('keeps all alive agents but only the newest ended ones', () => {
    const map = createAgentMap()
    map.tell(Array.from({ length: 3_000 }, (_, i) => agent({ id: `alive${i}` })))
    map.tell(
      Array.from({ length: 9_000 }, (_, i) => agent({ id: `ended${i}`, state: 'done', last_at: NOW + i })),
    )
    const ids = new Set(map.values().map((one) => one.id))
    expect(ids.has('alive0')).toBe(true)
    expect(ids.has('ended8999')).toBe(true)
    expect(ids.has('ended0')).toBe(false)
    expect(ids.size).toBeLessThanOrEqual(8_000)
  })
})
