import type { Claim } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { Glyph } from '../design/glyph.tsx'
import { Tag } from '../design/tag.tsx'
import { words } from '../words.ts'
import { checkGlyph, checkWord, isOff } from './claim-check.ts'
import { evidencePlace, type Place } from './evidence.ts'

const w = words.ledger.claims
const LONGEST = 120

/** Whether a claim holds, as a glyph with text. */
export function Check({ claim }: { readonly claim: Claim }) {
  const { check } = claim
  const word = checkWord(claim)
  const says = check.says === '' ? word : toVisible(check.says)
  return (
    <span className="flex min-w-0 items-center gap-1.5" title={says}>
      <Glyph name={checkGlyph(claim)} size={14} />
      {isOff(claim) && check.says !== '' ? (
        <span className="whitespace-nowrap">{word}</span>
      ) : (
        <span className="sr-only">{word}: </span>
      )}
      <span className="truncate">{toVisibleLine(says, LONGEST)}</span>
    </span>
  )
}

export const TierTag = ({ claim }: { readonly claim: Claim }) => <Tag>{w.tiers[claim.evidence_tier]}</Tag>

/** The text before it may end in a comma. */
const LEADING = /^[\s;,.:)\]–—-]+(?=\S)/

export const claimText = ({ value }: Pick<Claim, 'value'>): string =>
  w.quote(toVisibleLine(value.replace(LEADING, ''), LONGEST))

/** Links to the place of the claim. */
export const claimPlace = (claim: Claim): Place => evidencePlace(claim, claim.ts)

/** Links to the evidence it was checked against; null if there is none. */
export const checkPlace = ({ check, estimate }: Claim): Place | null => {
  const found = check.evidence ?? estimate?.evidence ?? null
  return found === null ? null : evidencePlace(found)
}
