import type { HookEvent } from './hook.ts'
import { digest, forgetOldest } from './idempotency-key.ts'

/** The side that reported an event is either the agent's hooks, as it happened, or the agent's own files. */
export type Side = 'hook' | 'transcript'

/** Events from a transcript or a database are marked with `via`. */
export const eventSide = (event: Readonly<Record<string, unknown>>): Side =>
  event.via === 'transcript' ? 'transcript' : 'hook'

/**
 * Gives events without an id (session start, prompt, begin and end of an agent) the same key from both sides.
 * Two reports about one agent within about a minute describe one event, and each report matches the nearest
 * one of the other side.
 */
export interface CrossSourceDedupe {
  /**
   * Returns the key to store the event under: the other side's key if that reported it already, otherwise its
   * own.
   */
  readonly resolveKey: (side: Side, event: HookEvent, ts: number, own: string) => string
}

interface EventReport {
  readonly side: Side
  readonly ts: number
  readonly own: string
  readonly key: string
  matched: boolean
}

const MOST_THINGS = 20_000
const MOST_EACH = 64
const PREVIEW = 150
const MINUTE_MS = 60_000

export function createCrossSourceDedupe(): CrossSourceDedupe {
  const things = new Map<string, EventReport[]>()

  return {
    resolveKey: (side, event, ts, own) => {
      const thing = toThing(event)
      if (thing === undefined) return own
      const name = JSON.stringify([event.source, event.session_id, ...thing.name])
      const seen = things.get(name) ?? []
      const again = seen.find((each) => each.side === side && each.own === own)
      if (again !== undefined) return again.key
      const other = findTwin(seen, side, own) ?? nearest(seen, side, ts, thing.withinMs)
      if (other !== undefined) other.matched = true
      const sighting = { side, ts, own, key: other?.key ?? own, matched: other !== undefined }
      things.delete(name)
      things.set(name, [...seen, sighting].slice(-MOST_EACH))
      forgetOldest(things, MOST_THINGS)
      return sighting.key
    },
  }
}

/** The other side uses the same name for the event. */
const findTwin = (seen: readonly EventReport[], side: Side, own: string): EventReport | undefined =>
  seen.find((each) => each.side !== side && !each.matched && each.own === own)

function nearest(
  seen: readonly EventReport[],
  side: Side,
  ts: number,
  withinMs: number,
): EventReport | undefined {
  let best: EventReport | undefined
  for (const each of seen) {
    if (each.side === side || each.matched || Math.abs(each.ts - ts) > withinMs) continue
    if (best === undefined || Math.abs(each.ts - ts) < Math.abs(best.ts - ts)) best = each
  }
  return best
}

interface EventIdentity {
  readonly name: readonly unknown[]
  /** The maximum time between the two reports. */
  readonly withinMs: number
}

/** Only hooks report that a session was reopened. */
const REOPENED: ReadonlySet<unknown> = new Set(['resume', 'compact'])

function toThing(event: HookEvent): EventIdentity | undefined {
  const { prompt_id: prompt } = event
  switch (event.event) {
    case 'session_start':
      return REOPENED.has(event.reason) ? undefined : { name: ['start'], withinMs: 5 * MINUTE_MS }
    case 'prompt':
      return { name: ['prompt', event.about ?? '', prompt ?? promptDigest(event)], withinMs: 2 * MINUTE_MS }
    case 'agent_spawn':
      return { name: ['spawn', event.id], withinMs: 2 * MINUTE_MS }
    case 'agent_done':
      return { name: ['done', event.id, prompt ?? ''], withinMs: MINUTE_MS }
    case 'hook':
      return event.hook === 'Stop'
        ? { name: ['rest', event.agent_id, prompt ?? ''], withinMs: MINUTE_MS }
        : undefined
    case 'session_end':
      return { name: ['end'], withinMs: 2 * MINUTE_MS }
    case 'claim':
      return {
        name: ['claim', event.agent_id, event.value, event.tier, event.pointer],
        withinMs: MINUTE_MS,
      }
    case 'skill_use':
      // The hooks of Hermes report a skill without its call, its database with the call.
      return event.source === 'hermes'
        ? { name: ['skill', event.agent_id, event.skill], withinMs: MINUTE_MS }
        : undefined
    case 'agent_wait':
      return event.call === undefined ? undefined : { name: ['wait', event.call], withinMs: 10 * MINUTE_MS }
    default:
      return undefined
  }
}

const promptDigest = ({ prompt_preview: text }: HookEvent): string =>
  typeof text === 'string' ? digest(text.slice(0, PREVIEW)) : ''
