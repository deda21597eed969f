import type { Claim } from '@panoptes/schema'
import { Glyph } from '../design/glyph.tsx'
import { Tag } from '../design/tag.tsx'
import { oneLine, seen } from '../sessions/plain.ts'
import { words } from '../words.ts'
import { checkGlyph, checkWord, isOff } from './checked.ts'
import { type Place, placeOf } from './evidence.ts'

const w = words.ledger.claims
const LONGEST = 120

/** Whether a claim holds, as a shape and in words. */
export function Check({ claim }: { readonly claim: Claim }) {
  const { check } = claim
  const word = checkWord(claim)
  const says = check.says === '' ? word : seen(check.says)
  return (
    <span className="flex min-w-0 items-center gap-1.5" title={says}>
      <Glyph name={checkGlyph(claim)} size={14} />
      {isOff(claim) && check.says !== '' ? (
        <span className="whitespace-nowrap">{word}</span>
      ) : (
        <span className="sr-only">{word}: </span>
      )}
      <span className="truncate">{oneLine(says, LONGEST)}</span>
    </span>
  )
}

export const TierTag = ({ claim }: { readonly claim: Claim }) => <Tag>{w.tiers[claim.evidence_tier]}</Tag>

/** What went before it in its line may have left a comma. */
const LEADING = /^[\s;,.:)\]–—-]+(?=\S)/

export const claimText = ({ value }: Pick<Claim, 'value'>): string =>
  w.quote(oneLine(value.replace(LEADING, ''), LONGEST))

/** Where it was said. */
export const saidPlace = (claim: Claim): Place => placeOf(claim, claim.ts)

/** What was looked at to check it; null where nothing was. */
export const checkPlace = ({ check, estimate }: Claim): Place | null => {
  const found = check.evidence ?? estimate?.evidence ?? null
  return found === null ? null : placeOf(found)
}
