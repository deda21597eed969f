import type { LedgerSkill } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import { words } from '../words.ts'
import { rateText } from './format.ts'
import { verdictColor } from './verdict.tsx'

const w = words.ledger.skills
const MIDDLE = 8

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
