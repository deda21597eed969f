import type { Agent } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import type { GlyphName } from '../../design/glyph.tsx'
import { oneLine } from '../../sessions/plain.ts'
import { words } from '../../words.ts'

const w = words.live.stated
const LONGEST_SKILL = 60
const LONGEST_CLAIM = 60

/** The skill it used last, in words and as a shape; null where it used none. */
export function skillOf(agent: Agent): { readonly text: string; readonly glyph: GlyphName } | null {
  if (agent.skill === undefined) return null
  const { name, success } = agent.skill
  const known =
    success === null ? (isAlive(agent.state) ? 'working' : 'unknown') : success ? 'done' : 'failed'
  return { text: w.skill(oneLine(name, LONGEST_SKILL), success), glyph: known }
}

/** What it claimed last: on what it stands, and the words; null where it claimed nothing. */
export function claimOf(
  agent: Agent,
): { readonly tier: string; readonly value: string; readonly more: number } | null {
  if (agent.claims === undefined) return null
  const { count, last } = agent.claims
  return {
    tier: oneLine(last.tier, LONGEST_CLAIM),
    value: oneLine(last.value, LONGEST_CLAIM),
    more: count - 1,
  }
}

/** Both in one line. */
export function statedLine(agent: Agent): string | null {
  const claim = claimOf(agent)
  const parts = [
    skillOf(agent)?.text,
    claim === null ? undefined : w.claim(claim.tier, claim.value, claim.more),
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? null : parts.join(' · ')
}
