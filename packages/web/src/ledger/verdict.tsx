import type { LedgerSkill, SkillVerdict } from '@panoptes/schema'
import { Glyph, type GlyphName } from '../design/glyph.tsx'
import { words } from '../words.ts'

const glyphs: Readonly<Record<SkillVerdict, GlyphName>> = {
  validated: 'done',
  're-extract': 'failed',
  archive: 'unknown',
  watching: 'working',
}

export const verdictColor = (verdict: SkillVerdict): string =>
  verdict === 'validated' ? 'text-done' : verdict === 're-extract' ? 'text-failed' : 'text-text-2'

/** The verdict on a skill, with its reason as a tooltip. */
export function Verdict({ skill }: { readonly skill: Pick<LedgerSkill, 'verdict' | 'reason'> }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5" title={skill.reason}>
      <Glyph name={glyphs[skill.verdict]} size={14} />
      <span className="truncate">{words.ledger.skills.verdicts[skill.verdict]}</span>
      <span className="sr-only">: {skill.reason}</span>
    </span>
  )
}
