import type { HookEvent } from './hook.ts'
import { digest, forgetOldest } from './key.ts'
import { wordsOf } from './stated-events.ts'

/** Who told of something: the agent's hooks as it happened, or what the agent itself wrote down. */
export type Side = 'hook' | 'transcript'

/** An event that a transcript or a database told says so. */
export const sideOf = (event: Readonly<Record<string, unknown>>): Side =>
  event.via === 'transcript' ? 'transcript' : 'hook'

/**
 * Gives what has no id of its own (a session's start, a prompt, an agent's beginning and end) the same key from both sides. What the
 * two tell of one agent within a minute or so is one thing, and each stands for one of the other's: the nearest in time.
 */
export interface Sightings {
  /** The key under which it is stored: the one of the other side where that told it already, else its own. */
  readonly keyOf: (side: Side, event: HookEvent, ts: number, own: string) => string
}

interface Sighting {
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

export function createSightings(): Sightings {
  const things = new Map<string, Sighting[]>()

  return {
    keyOf: (side, event, ts, own) => {
      const thing = thingOf(event)
      if (thing === undefined) return own
      const name = JSON.stringify([event.source, event.session_id, ...thing.name])
      const known = things.get(name) ?? []
      const again = known.find((each) => each.side === side && each.own === own)
      if (again !== undefined) return again.key
      const other = nearest(known, side, ts, thing.withinMs)
      if (other !== undefined) other.matched = true
      const sighting = { side, ts, own, key: other?.key ?? own, matched: other !== undefined }
      things.delete(name)
      things.set(name, [...known, sighting].slice(-MOST_EACH))
      forgetOldest(things, MOST_THINGS)
      return sighting.key
    },
  }
}

function nearest(known: readonly Sighting[], side: Side, ts: number, withinMs: number): Sighting | undefined {
  let best: Sighting | undefined
  for (const each of known) {
    if (each.side === side || each.matched || Math.abs(each.ts - ts) > withinMs) continue
    if (best === undefined || Math.abs(each.ts - ts) < Math.abs(best.ts - ts)) best = each
  }
  return best
}

interface Thing {
  readonly name: readonly unknown[]
  /** How far apart the two sides may be. */
  readonly withinMs: number
}

/** A session that is opened again tells so by its hooks alone. */
const AGAIN: ReadonlySet<unknown> = new Set(['resume', 'compact'])

function thingOf(event: HookEvent): Thing | undefined {
  const { prompt_id: prompt } = event
  switch (event.event) {
    case 'session_start':
      return AGAIN.has(event.reason) ? undefined : { name: ['start'], withinMs: 5 * MINUTE_MS }
    case 'prompt':
      return { name: ['prompt', event.about ?? '', prompt ?? textOf(event)], withinMs: 2 * MINUTE_MS }
    case 'agent_spawn':
      return { name: ['spawn', event.id], withinMs: 2 * MINUTE_MS }
    case 'agent_done':
      return { name: ['done', event.id, prompt ?? ''], withinMs: MINUTE_MS }
    case 'session_end':
      return { name: ['end'], withinMs: 2 * MINUTE_MS }
    case 'claim':
      return {
        name: ['claim', event.agent_id, wordsOf(event.message_id), event.place],
        withinMs: MINUTE_MS,
      }
    case 'skill_use':
      // Hermes tells it without its call, and its database by the call.
      return event.source === 'hermes'
        ? { name: ['skill', event.agent_id, event.skill], withinMs: MINUTE_MS }
        : undefined
    case 'agent_wait':
      return event.call === undefined ? undefined : { name: ['wait', event.call], withinMs: 10 * MINUTE_MS }
    default:
      return undefined
  }
}

const textOf = ({ prompt_preview: text }: HookEvent): string =>
  typeof text === 'string' ? digest(text.slice(0, PREVIEW)) : ''
