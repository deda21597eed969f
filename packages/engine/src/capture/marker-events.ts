import { readClaims, readStatus } from '@panoptes/engine/markers'
import { redactText } from '@panoptes/engine/redact'
import { digest } from './idempotency-key.ts'
import { truncateText } from './preview.ts'

/** A message of an agent as one side reports it. */
export interface AgentMessage {
  readonly agent: string
  /** Distinguishes messages with the same text where both sides know it: the prompt, or its time. */
  readonly turn: string | undefined
  readonly text: string
}

interface Fields {
  readonly [field: string]: unknown
}
export type MarkerEvent = Fields & { readonly event: 'claim' | 'status' }

const MOST_CLAIMS = 500
const LONGEST = 1_024

/**
 * Returns the claims of a message in order. Hooks report the last message of a turn and transcripts report
 * all of them, so a message is identified by agent, turn and text regardless of spacing. When the two sides
 * split a reply into messages differently, they are matched by time.
 */
export function claimsIn({ agent, turn, text }: AgentMessage): readonly MarkerEvent[] {
  if (readClaims(text).length === 0) return []
  const words = digest(text.replace(/\s+/g, ' ').trim())
  const message = `${turn ?? agent}.${words}`
  // Secrets are removed from the whole text first, because a value is only the end of a phrase and may hold
  // part of one.
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

/** Returns the whole marker of a message. */
export function statusIn({ agent, turn, text }: AgentMessage): MarkerEvent | undefined {
  if (readStatus(text) === undefined) return undefined
  const marker = readStatus(redactText(text).text)
  if (marker === undefined) return undefined
  return {
    event: 'status',
    agent_id: agent,
    ...(turn === undefined ? {} : { prompt_id: turn }),
    shipped: marker.shipped,
    stubs: marker.stubs ?? undefined,
    verified: marker.behaviour_verified === null ? undefined : boundText(marker.behaviour_verified),
    checks: marker.checks.map(({ name, result }) => ({ name: boundText(name), result: boundText(result) })),
    follow_ups: marker.follow_ups.slice(0, MOST_FOLLOW_UPS).map(boundText),
  }
}

const MOST_FOLLOW_UPS = 64
const boundText = (text: string): string => truncateText(text).slice(0, LONGEST).toWellFormed()

/**
 * Returns the key of a marker event within its session. It is the same from both sides, however often it is
 * reported.
 */
export function markerKey(event: Fields): string | undefined {
  if (event.event === 'claim')
    return `${String(event.agent_id)}:${String(event.message_id)}:${String(event.place)}:claim`
  if (event.event !== 'status') return undefined
  const { agent_id, prompt_id, shipped, stubs, verified, checks, follow_ups } = event
  const marker = JSON.stringify([prompt_id ?? '', shipped, stubs, verified ?? '', checks, follow_ups])
  return `${String(agent_id)}:${digest(marker)}:status`
}
