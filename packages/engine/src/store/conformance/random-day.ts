import type { NewEvent } from '@panoptes/schema'
import { event } from './event-kit.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const TOOLS = ['Bash', 'Read', 'Edit']

/** Generates numbers from 0 to 1 that are the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * Generates worst-case days: sessions that end and continue, silences of hours and days, agents that are
 * linked, resumed and lost, sessions started by hooks, and timestamps that are late, ahead, or late for
 * hundreds of events in a row.
 */
export function anyDay(seed: number, count: number): NewEvent[] {
  const next = createRandom(seed)
  const below = (limit: number): number => Math.floor(next() * limit)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T
  let now = 0
  let lateUntil = -1
  const stamp = (at: number): number => {
    const chance = next()
    if (at < lateUntil) return now - DAY + below(HOUR)
    if (chance < 0.001) lateUntil = at + 50 + below(400)
    if (chance < 0.03) return now - below(3 * DAY)
    if (chance < 0.05) return now + below(3 * DAY)
    if (chance < 0.051) return now + 50 * 365 * DAY
    return now
  }
  return Array.from({ length: count }, (_, at) => {
    const quiet = next()
    now += quiet < 0.001 ? below(2 * DAY) : quiet < 0.01 ? below(HOUR) : below(3_000)
    const fields = happening(next(), pick, below)
    return event(0, {
      ...fields,
      key: `any:${seed}:${at}`,
      ts: event(0).ts + stamp(at),
      source: pick(['claude-code', 'custom']),
      session_id: `s${below(30)}`,
    })
  })
}

function happening(
  chance: number,
  pick: <T>(list: readonly T[]) => T,
  below: (limit: number) => number,
): Partial<NewEvent> {
  const id = `a${below(6)}`
  const agent_id = pick(['main', id])
  const call = `t${below(40)}`
  if (chance < 0.04) return { event: 'session_end' }
  if (chance < 0.06) return { event: 'session_start' }
  if (chance < 0.062) return { event: 'session_start', from_hook: true }
  if (chance < 0.12) return { event: 'prompt', prompt_preview: `"${id}",\n"book":{}` }
  if (chance < 0.22) return { event: 'agent_spawn', id, prompt_preview: ',"book":{' }
  if (chance < 0.32) return { event: 'agent_done', id, ...(chance < 0.24 ? { outcome: 'fail' } : {}) }
  if (chance < 0.36) return { event: 'agent_link', id, tool_use_id: call, parent_id: `a${below(6)}` }
  if (chance < 0.38) return { event: 'agent_link', tool_use_id: call, status: 'failed' }
  if (chance < 0.42) return { event: 'agent_wait', agent_id, reason: 'permission' }
  if (chance < 0.45) return { event: pick(['agent_stuck', 'agent_lost']), id }
  if (chance < 0.5) return { event: 'usage', agent_id, input: below(99), output: below(99) }
  if (chance < 0.75) return { event: 'tool_use', agent_id, id: call, tool: pick(TOOLS) }
  return { event: 'tool_done', agent_id, id: call, tool: pick(TOOLS), ok: below(9) > 0 }
}
