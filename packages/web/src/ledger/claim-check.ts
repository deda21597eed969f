import type { Claim } from '@panoptes/schema'
import type { GlyphName } from '../design/glyph.tsx'
import { words } from '../words.ts'

const w = words.ledger.claims

type ClaimResult = Pick<Claim, 'check' | 'evidence_tier' | 'estimate'>

export const claimKey = ({ source, session_id, message_id, place }: Claim): string =>
  JSON.stringify([source, session_id, message_id, place])

export const isEstimate = ({ evidence_tier }: Pick<Claim, 'evidence_tier'>): boolean =>
  evidence_tier === 'ESTIMATE-HTC'

/** An estimate that missed is not false: it is off, and the ratio says by how much. */
export const isOff = (claim: ClaimResult): boolean => isEstimate(claim) && claim.check.verdict === 'fails'

export function checkGlyph(claim: ClaimResult): GlyphName {
  if (isOff(claim)) return 'partial'
  return { holds: 'done', fails: 'failed', open: 'unknown' }[claim.check.verdict] as GlyphName
}

export function checkWord(claim: ClaimResult): string {
  if (!isOff(claim)) return w.checks[claim.check.verdict]
  const { said: estimated, took } = claim.estimate ?? { said: 0, took: null }
  return took !== null && estimated > 0 ? w.offBy(took / estimated) : w.off
}
