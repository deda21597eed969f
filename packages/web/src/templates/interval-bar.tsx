import type { EffectMeasure } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import { words } from '../words.ts'
import { points, readingGlyph } from './format.ts'

const w = words.templates
const MIDDLE = 10

const looks = {
  done: { color: 'text-done', mark: <path d="m0-5 5 5-5 5-5-5Z" fill="currentColor" /> },
  failed: { color: 'text-failed', mark: <path d="M-4-4h8v8h-8Z" fill="currentColor" /> },
  unknown: {
    color: 'text-text-3',
    mark: <circle r="3.8" className="fill-surface" stroke="currentColor" strokeWidth="1.8" />,
  },
} as const

/** A difference with its confidence interval around zero. `reach` is the value at both ends. */
export function IntervalBar({ measure, reach }: { readonly measure: EffectMeasure; readonly reach: number }) {
  const { difference, low, high } = measure
  if (difference === null || low === null || high === null) return null
  const glyph = readingGlyph(measure)
  const { color, mark } = looks[glyph === 'done' || glyph === 'failed' ? glyph : 'unknown']
  const at = (value: number) => `${50 + (clamp(value, -reach, reach) / reach) * 48}%`
  return (
    <svg
      role="img"
      aria-label={w.interval(points(difference), points(low), points(high))}
      width="100%"
      height={2 * MIDDLE}
      className={`block overflow-visible ${color}`}
    >
      <line x1="50%" x2="50%" y1="2" y2="18" className="stroke-line-strong" />
      <g stroke="currentColor" strokeWidth="1.6">
        <line x1={at(low)} x2={at(high)} y1={MIDDLE} y2={MIDDLE} />
        {Math.abs(low) <= reach && <line x1={at(low)} x2={at(low)} y1="6" y2="14" />}
        {Math.abs(high) <= reach && <line x1={at(high)} x2={at(high)} y1="6" y2="14" />}
      </g>
      <svg x={at(difference)} y={MIDDLE} className="overflow-visible" aria-hidden="true">
        {mark}
      </svg>
    </svg>
  )
}
