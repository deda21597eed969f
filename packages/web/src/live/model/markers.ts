import type { Agent } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import { toVisibleLine } from '@panoptes/schema/shown'
import type { GlyphName } from '../../design/glyph.tsx'
import { words } from '../../words.ts'

const w = words.live.markers
const TIERS: Readonly<Record<string, string>> = words.ledger.claims.tiers
const LONGEST_SKILL = 60
const LONGEST_CLAIM = 60

/** The last skill it used, as text and glyph; null if it used none. */
export function skillLabel(agent: Agent): { readonly text: string; readonly glyph: GlyphName } | null {
  if (agent.skill === undefined) return null
  const { name, success } = agent.skill
  const glyph =
    success === null ? (isAlive(agent.state) ? 'working' : 'unknown') : success ? 'done' : 'failed'
  return { text: w.skill(toVisibleLine(name, LONGEST_SKILL), success), glyph: glyph }
}

/** Its last claim: the tier and the text; null if it made none. */
export function lastClaim(
  agent: Agent,
): { readonly tier: string; readonly value: string; readonly more: number } | null {
  if (agent.claims === undefined) return null
  const { count, last } = agent.claims
  return {
    tier: (Object.hasOwn(TIERS, last.tier) && TIERS[last.tier]) || toVisibleLine(last.tier, LONGEST_CLAIM),
    value: toVisibleLine(last.value, LONGEST_CLAIM),
    more: count - 1,
  }
}

export function claimLine(agent: Agent): string | null {
  const claim = lastClaim(agent)
  return claim === null ? null : w.claim(claim.tier, claim.value, claim.more)
}

/** Both in one line. */
export function markerLine(agent: Agent): string | null {
  const parts = [skillLabel(agent)?.text ?? null, claimLine(agent)].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(' · ')
}
