import type { Claim, ClaimCheck } from '@panoptes/schema'
import { Glyph, type GlyphName } from '../design/glyph.tsx'
import { Tag } from '../design/tag.tsx'
import { oneLine, seen } from '../sessions/plain.ts'
import { words } from '../words.ts'
import { type Place, placeOf } from './evidence.ts'

const w = words.ledger.claims
const LONGEST = 120

const glyphs: Readonly<Record<ClaimCheck['verdict'], GlyphName>> = {
  holds: 'done',
  fails: 'failed',
  open: 'unknown',
}

/** Whether a claim holds, as a shape and in words. */
export function Check({ check }: { readonly check: ClaimCheck }) {
  const says = check.says === '' ? w.checks[check.verdict] : seen(check.says)
  return (
    <span className="flex min-w-0 items-center gap-1.5" title={says}>
      <Glyph name={glyphs[check.verdict]} size={14} />
      <span className="sr-only">{w.checks[check.verdict]}: </span>
      <span className="truncate">{oneLine(says, LONGEST)}</span>
    </span>
  )
}

export const TierTag = ({ claim }: { readonly claim: Claim }) => <Tag>{w.tiers[claim.evidence_tier]}</Tag>

export const claimText = (claim: Claim): string => w.quote(oneLine(claim.value, LONGEST))

/** Where it was said. */
export const saidPlace = (claim: Claim): Place => placeOf(claim, claim.ts)

/** What was looked at to check it; null where nothing was. */
export const checkPlace = ({ check, estimate }: Claim): Place | null => {
  const found = check.evidence ?? estimate?.evidence ?? null
  return found === null ? null : placeOf(found)
}
