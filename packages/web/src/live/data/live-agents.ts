import type { Agent, AgentIdentity } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import { getJson } from '../../api/request.ts'
import { createStore, type Store } from '../../store.ts'
import type { Tail } from '../../stream/tail.ts'
import { parseAgentKey, toAgentKey } from './agent-key.ts'

/** The agents of the page, published a few times a second however fast they change. */
export interface LiveAgents {
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly agents: readonly Agent[]
  /** How many more agents are alive than the server sent. */
  readonly leftOut: number
}

const EVERY_MS = 200
/** With many agents each update takes longer, so updates become rarer. */
const EVERY_MS_PER_AGENT = 0.8
const EVERY_MS_AT_MOST = 1_500
const RECENT = 1_000

export interface LiveAgentsOptions {
  readonly tail: Tail
  /** Agents that the stream does not report because they ended before. */
  readonly read?: () => Promise<readonly Agent[]>
  readonly everyMs?: number
}

/** Follows the stream from the first use on. */
export function followAgents(options: LiveAgentsOptions): Store<LiveAgents> {
  const { tail } = options
  const read = options.read ?? (() => getJson<readonly Agent[]>(`/api/agents?limit=${RECENT}`))
  const map = createAgentMap()
  const store = createStore<LiveAgents>({ phase: 'loading', agents: [], leftOut: 0 })
  let phase: LiveAgents['phase'] = 'loading'
  let leftOut = 0
  let last = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined

  const publish = () => {
    timer = undefined
    last = performance.now()
    store.set({ phase, agents: map.values(), leftOut })
  }
  const hasChanged = () => {
    if (timer !== undefined) return
    const slowly = Math.min(EVERY_MS_AT_MOST, EVERY_MS_PER_AGENT * map.size())
    const wait = last + (options.everyMs ?? Math.max(EVERY_MS, slowly)) - performance.now()
    if (wait <= 0) publish()
    else timer = setTimeout(publish, wait)
  }
  const fill = () => {
    read().then(
      (agents) => {
        map.fill(agents)
        phase = 'ready'
        hasChanged()
      },
      () => {
        if (phase === 'ready') return
        phase = 'failed'
        hasChanged()
      },
    )
  }

  tail.listen({
    onAlive: (alive, more) => {
      leftOut = more
      map.clear()
      map.tell(alive)
      // Updates wait for the ended agents, so that none of them disappears for a moment.
      if (phase !== 'ready') hasChanged()
      fill()
    },
    onAgents: (agents, gone) => {
      map.tell(agents)
      map.drop(gone)
      hasChanged()
    },
    onBreak: (gap) => {
      if (gap.missed) fill()
    },
    onReset: () => {
      map.clear()
      phase = 'loading'
      hasChanged()
    },
  })
  return store
}

/** The maximum number of ended agents in memory; the store has all of them. */
const MOST_ENDED = 4_000
const MOST_GONE = 1_000

/** The agents that the server reported, each in its latest state. */
interface AgentMap {
  readonly get: (key: string) => Agent | undefined
  readonly values: () => readonly Agent[]
  readonly size: () => number
  /** The stream is newer than anything fetched before. */
  readonly tell: (agents: readonly Agent[]) => void
  /** The stream reports that these ids belong to no agent any more. */
  readonly drop: (gone: readonly AgentIdentity[]) => void
  /** A fetched response may be older than what the stream reported meanwhile. */
  readonly fill: (agents: readonly Agent[]) => void
  readonly clear: () => void
}

export function createAgentMap(): AgentMap {
  const byKey = new Map<string, Agent>()
  /** A response in flight may still name these ids. */
  const gone = new Set<string>()
  let listed: readonly Agent[] | null = null

  const put = (agent: Agent) => {
    byKey.set(toAgentKey(agent), agent)
    listed = null
  }
  const prune = () => {
    const ended = [...byKey].filter(([, agent]) => !isAlive(agent.state))
    if (ended.length <= MOST_ENDED * 1.25) return
    ended.sort(([, a], [, b]) => a.last_at - b.last_at)
    for (const [key] of ended.slice(0, ended.length - MOST_ENDED)) byKey.delete(key)
    listed = null
  }
  return {
    size: () => byKey.size,
    get: (key) => byKey.get(key),
    values: () => {
      listed ??= [...byKey.values()]
      return listed
    },
    tell: (agents) => {
      for (const agent of agents) {
        gone.delete(toAgentKey(agent))
        put(agent)
      }
      if (byKey.size > MOST_ENDED) prune()
    },
    drop: (refs) => {
      for (const key of refs.map(toAgentKey)) {
        if (gone.size < MOST_GONE) gone.add(key)
        if (byKey.delete(key)) listed = null
      }
    },
    fill: (agents) => {
      for (const agent of agents) {
        const before = byKey.get(toAgentKey(agent))
        if (gone.has(toAgentKey(agent))) continue
        if (!before || before.last_at < agent.last_at) put(agent)
      }
      gone.clear()
    },
    clear: () => {
      byKey.clear()
      gone.clear()
      listed = null
    },
  }
}

/** The agent that replaces a key without an agent: the one that the call of that name created. */
export function findSuccessor(agents: readonly Agent[], key: string | null): string | null {
  if (key === null || agents.some((agent) => toAgentKey(agent) === key)) return null
  const ref = parseAgentKey(key)
  const heir = agents.find(
    ({ source, session_id, tool_use_id }) =>
      tool_use_id === ref?.id && session_id === ref?.session_id && source === ref?.source,
  )
  return heir ? toAgentKey(heir) : null
}
