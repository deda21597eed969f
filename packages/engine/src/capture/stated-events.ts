import { redactText } from '@panoptes/engine/redact'
import { readClaims, readStatus } from '@panoptes/engine/stated'
import { digest } from './key.ts'
import { beginningOf } from './preview.ts'

/** A message of an agent, as whoever tells of it knows it. */
export interface Said {
  readonly agent: string
  /** What tells this message from another of the same words, where both sides know it: the prompt, or its time. */
  readonly turn: string | undefined
  readonly text: string
}

interface Fields {
  readonly [field: string]: unknown
}
export type StatedEvent = Fields & { readonly event: 'claim' | 'status' }

const MOST_CLAIMS = 500
const LONGEST = 1_024

/**
 * The claims of a message, in its order. Hooks tell the last message of a turn and transcripts every one, so a message is known by its
 * agent, its turn and its words, however they are spaced.
 */
export function claimsIn({ agent, turn, text }: Said): readonly StatedEvent[] {
  if (readClaims(text).length === 0) return []
  const words = digest(text.replace(/\s+/g, ' ').trim())
  const message = turn === undefined ? words : `${turn}.${words}`
  // A secret has to be found while it is whole: a value is the end of a phrase.
  const claims = readClaims(redactText(text).text).slice(0, MOST_CLAIMS)
  return claims.map(({ value, evidence_tier, pointer }, place) => ({
    event: 'claim',
    agent_id: agent,
    value,
    tier: evidence_tier,
    pointer: pointer.slice(0, LONGEST).toWellFormed(),
    message_id: message,
    place,
  }))
}

/** The words of the message that a claim was made in, without the turn. */
export const wordsOf = (message: unknown): string =>
  typeof message === 'string' ? (message.split('.').at(-1) ?? '') : ''

/** The marker of a message, whole. */
export function statusIn({ agent, turn, text }: Said): StatedEvent | undefined {
  if (readStatus(text) === undefined) return undefined
  const marker = readStatus(redactText(text).text)
  if (marker === undefined) return undefined
  return {
    event: 'status',
    agent_id: agent,
    ...(turn === undefined ? {} : { prompt_id: turn }),
    shipped: marker.shipped,
    stubs: marker.stubs,
    verified: marker.behaviour_verified === null ? undefined : bounded(marker.behaviour_verified),
    checks: marker.checks.map(({ name, result }) => ({ name: bounded(name), result: bounded(result) })),
    follow_ups: marker.follow_ups.slice(0, MOST_FOLLOW_UPS).map(bounded),
  }
}

const MOST_FOLLOW_UPS = 64
const bounded = (text: string): string => beginningOf(text).slice(0, LONGEST).toWellFormed()

/** What an event of these is known by in its session: the same from both sides, however often it is told. */
export function statedKey(event: Fields): string | undefined {
  if (event.event === 'claim')
    return `${String(event.agent_id)}:${String(event.message_id)}:${String(event.place)}:claim`
  if (event.event !== 'status') return undefined
  const { agent_id, prompt_id, shipped, stubs, verified, checks, follow_ups } = event
  const marker = JSON.stringify([prompt_id ?? '', shipped, stubs, verified ?? '', checks, follow_ups])
  return `${String(agent_id)}:${digest(marker)}:status`
}
