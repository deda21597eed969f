import type { LedgerSkill, SkillVerdict } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import { Glyph, type GlyphName } from '../design/glyph.tsx'
import { words } from '../words.ts'
import { rateText } from './format.ts'

const glyphs: Readonly<Record<SkillVerdict, GlyphName>> = {
  validated: 'done',
  're-extract': 'failed',
  archive: 'unknown',
  watching: 'working',
}
const w = words.ledger.skills
const MIDDLE = 8

const verdictColor = (verdict: SkillVerdict): string =>
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

/** A success rate with its interval, and marks at the verdict thresholds. */
export function RateBar(props: { readonly skill: LedgerSkill; readonly marks: readonly number[] }) {
  const { rate, low, high, verdict } = props.skill
  if (rate === null || low === null || high === null) return null
  const at = (share: number) => `${clamp(share, 0, 1) * 100}%`
  return (
    // Keeps the dot within the cell, which clips its content.
    <span className="block px-1">
      <svg
        role="img"
        aria-label={w.interval(rateText(rate), rateText(low), rateText(high))}
        width="100%"
        height={2 * MIDDLE}
        className={`block overflow-visible ${verdictColor(verdict)}`}
      >
        <line x1={at(0)} x2={at(1)} y1={MIDDLE} y2={MIDDLE} className="stroke-line" strokeWidth="2" />
        {props.marks.map((mark) => (
          <line
            key={mark}
            x1={at(mark)}
            x2={at(mark)}
            y1="1"
            y2={2 * MIDDLE - 1}
            className="stroke-text-3"
            strokeDasharray="1.5 2"
          />
        ))}
        <line
          x1={at(low)}
          x2={at(high)}
          y1={MIDDLE}
          y2={MIDDLE}
          stroke="currentColor"
          strokeWidth="4"
          strokeLinecap="round"
          opacity="0.55"
        />
        <circle cx={at(rate)} cy={MIDDLE} r="4" fill="currentColor" />
      </svg>
    </span>
  )
}
