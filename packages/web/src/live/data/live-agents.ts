import type { Agent } from '@panoptes/schema'
import { getJson } from '../../api/request.ts'
import { createStore, type Store } from '../../store.ts'
import type { Tail } from '../../stream/tail.ts'
import { createAgentMap } from './agent-map.ts'

/** The agents as the page shows them: handed on a few times a second, however fast they change. */
export interface LiveAgents {
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly agents: readonly Agent[]
  /** So many more are alive than the server told of. */
  readonly leftOut: number
}

const EVERY_MS = 200
/** With many agents it takes longer to look at them all, so they are looked at less often. */
const EVERY_MS_PER_AGENT = 0.8
const EVERY_MS_AT_MOST = 1_500
const RECENT = 1_000

export interface LiveAgentsOptions {
  readonly tail: Tail
  /** Agents that the stream does not tell of: those that ended before. */
  readonly read?: () => Promise<readonly Agent[]>
  readonly everyMs?: number
}

/** Follows the stream from the first use on. */
export function followAgents(options: LiveAgentsOptions): Store<LiveAgents> {
  const { tail } = options
  const read = options.read ?? (() => getJson<readonly Agent[]>(`/api/agents?limit=${RECENT}`))
  const map = createAgentMap()
  const store = createStore<LiveAgents>({ phase: 'loading', agents: [], leftOut: 0 })
  let ready = false
  let leftOut = 0
  let last = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined

  const publish = () => {
    timer = undefined
    last = performance.now()
    store.set({ phase: ready ? 'ready' : 'loading', agents: map.values(), leftOut })
  }
  const changed = () => {
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
        ready = true
        changed()
      },
      () => {
        if (!ready) store.update((before) => ({ ...before, phase: 'failed' }))
      },
    )
  }

  tail.listen({
    onAlive: (alive, more) => {
      leftOut = more
      map.clear()
      map.tell(alive)
      // Later ones wait for those who ended, so that nobody goes out of sight for a moment.
      if (!ready) changed()
      fill()
    },
    onAgents: (agents, gone) => {
      map.tell(agents)
      map.drop(gone)
      changed()
    },
    onBreak: (gap) => {
      if (gap.missed) fill()
    },
    onReset: () => map.clear(),
  })
  return store
}
