import type { StoredEvent } from '@panoptes/schema'
import { agentOf, isKind, saysFailed } from '@panoptes/schema/reading'

/** What is remembered of a session's sub-agents, so that each is counted once whoever tells of it. */
export interface Lives {
  readonly lives_of: string
  agents: Record<string, Life>
  /** Calls that failed before it was known which agent they made. */
  failed: string[]
}

interface Life {
  starts: number
  /** The last beginning that it ended by its own word. */
  stops: number
  /** The calls that made it, as far as they ended. */
  calls: string[]
  /** The call that made it. */
  call: string | null
  failed: boolean
}

/** How many there are, how many of those are over, and how many of those failed. */
export interface LifeCount {
  spawned: number
  done: number
  failed: number
}

const MAIN = 'main'
/** Of so many that ended it is remembered: one that speaks up long after counts as another. */
const MOST_OVER = 256
const MOST_AGENTS = 10_000
const MOST_FAILED = 64

export const newLives = (session: string): Lives => ({ lives_of: session, agents: {}, failed: [] })

/** Whether it may change how many sub-agents there are or how they are. */
export const isOfLife = ({ event, from_hook }: StoredEvent): boolean =>
  from_hook !== true &&
  (event === 'agent_spawn' ||
    event === 'agent_link' ||
    event === 'agent_done' ||
    event === 'agent_lost' ||
    event === 'session_end')

/** Takes the event in, and answers by how much it changes the count. */
export function followLives(lives: Lives, event: StoredEvent): LifeCount {
  const meant = meantBy(lives, event)
  const before = countOf(lives, meant)
  take(lives, event)
  const after = countOf(lives, meant)
  if (after.spawned > before.spawned || after.done + after.failed > before.done + before.failed) tidy(lives)
  return {
    spawned: after.spawned - before.spawned,
    done: after.done - before.done,
    failed: after.failed - before.failed,
  }
}

/** Whom the event may change. */
function meantBy(lives: Lives, event: StoredEvent): readonly string[] {
  if (event.event === 'session_end') return Object.keys(lives.agents)
  if (!isKind(event, 'agent_link')) return [agentOf(event) ?? MAIN]
  const id = linkedBy(lives, event)
  return [...new Set([id ?? MAIN, event.tool_use_id ?? MAIN])]
}

/** The agent that a link names, or the one whose call it names. */
const linkedBy = (lives: Lives, event: StoredEvent): string | undefined =>
  agentOf(event) ??
  Object.keys(lives.agents).find((each) => lives.agents[each]?.call === (event.tool_use_id ?? ''))

function take(lives: Lives, event: StoredEvent): void {
  if (event.event === 'session_end') {
    for (const life of Object.values(lives.agents)) stop(life, false)
    return
  }
  const named = agentOf(event)
  if (named === MAIN || named === event.session_id || named === '__proto__') return
  if (isKind(event, 'agent_link')) {
    const call = event.tool_use_id ?? null
    const id = linkedBy(lives, event)
    if (call !== null && id === undefined && saysFailed(event))
      lives.failed = [...lives.failed, call].slice(-MOST_FAILED)
    if (id !== undefined) link(lives, id, call, event.status ?? null)
    return
  }
  if (named === undefined) return
  const life = lifeOf(lives, named)
  if (event.event !== 'agent_spawn') stop(life, saysFailed(event))
  else {
    life.starts += 1
    if (life.starts > 1) life.failed = false
  }
}

function link(lives: Lives, id: string, call: string | null, status: string | null): void {
  if (call !== null && call !== id && Object.hasOwn(lives.agents, call)) {
    // It was told of under the name of its call.
    const own = lives.agents[call]
    delete lives.agents[call]
    if (own !== undefined && !Object.hasOwn(lives.agents, id)) lives.agents[id] = own
  }
  const life = lifeOf(lives, id)
  life.call = call ?? life.call
  const failed = status === 'failed' || (call !== null && lives.failed.includes(call))
  if (!failed && status !== 'completed') return
  lives.failed = lives.failed.filter((each) => each !== call)
  if (!life.calls.includes(call ?? '')) life.calls.push(call ?? '')
  if (failed) life.failed = true
}

function lifeOf(lives: Lives, id: string): Life {
  const known = Object.hasOwn(lives.agents, id) ? lives.agents[id] : undefined
  if (known !== undefined) return known
  const life = { starts: 0, stops: 0, calls: [], call: null, failed: false }
  lives.agents[id] = life
  return life
}

function stop(life: Life, failed: boolean): void {
  life.stops = Math.max(life.starts, 1)
  if (failed) life.failed = true
}

const isOver = ({ starts, stops, calls }: Life): boolean =>
  Math.max(stops, calls.length) >= Math.max(starts, 1)

function countOf({ agents }: Lives, ids: readonly string[]): LifeCount {
  const count = { spawned: 0, done: 0, failed: 0 }
  for (const id of ids) {
    const life = Object.hasOwn(agents, id) ? agents[id] : undefined
    if (life === undefined) continue
    count.spawned += 1
    if (isOver(life)) count[life.failed ? 'failed' : 'done'] += 1
  }
  return count
}

function tidy(lives: Lives): void {
  const all = Object.entries(lives.agents)
  if (all.length <= MOST_OVER) return
  const over = all.filter(([, life]) => isOver(life))
  for (const [id] of over.slice(0, Math.max(0, over.length - MOST_OVER))) delete lives.agents[id]
  for (const [id] of all.slice(0, Math.max(0, all.length - MOST_AGENTS))) delete lives.agents[id]
}
