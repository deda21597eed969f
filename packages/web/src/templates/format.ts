import type { EffectMeasure, ListedTemplate } from '@panoptes/schema'
import { toMilliseconds } from '../achievements/timestamp.ts'
import type { GlyphName } from '../design/glyph.tsx'
import * as f from '../format.ts'
import { words } from '../words.ts'

const w = words.templates
const MINUS = '−'
const HUNDRED = 100

/** Formats a number with its sign, such as −11, +2 and 0. It adds one decimal if rounding would give zero. */
function formatSigned(value: number): string {
  const size = Math.abs(value)
  const whole = Math.round(size)
  const shown = size < 1 ? Math.round(size * 10) / 10 : whole
  if (shown === 0) return '0'
  return `${value < 0 ? MINUS : '+'}${f.count(shown)}`
}

/** Formats a difference of shares, such as −11 pts. */
export const formatPoints = (share: number): string => w.points(formatSigned(share * HUNDRED))

const isShare = ({ name }: EffectMeasure): boolean => name === 'tool_errors' || name === 'outcome'

/** Formats the value of one side, such as 8 %, 22 and 1.9M. */
export function valueText(measure: EffectMeasure, side: 'with' | 'without'): string {
  const value = measure[side]
  if (value === null) return words.unknown
  if (isShare(measure)) return w.percent(value)
  return measure.name === 'tokens' ? f.shortCount(Math.round(value)) : f.rate(value).replace(/\.0$/, '')
}

export function differenceText(measure: EffectMeasure): string {
  const { difference } = measure
  if (difference === null) return words.unknown
  if (isShare(measure)) return formatPoints(difference)
  return measure.name === 'tokens' ? `${formatSigned(difference * HUNDRED)} %` : formatSigned(difference)
}

/** Formats an interval in the unit of the difference, such as −19 … −3. */
export function intervalText(measure: EffectMeasure): string {
  const { low, high } = measure
  if (low === null || high === null) return words.unknown
  const scale = measure.name === 'turns' ? 1 : HUNDRED
  const range = w.between(formatSigned(low * scale), formatSigned(high * scale))
  return measure.name === 'tokens' ? `${range} %` : range
}

/** Whether a difference is good: less is better, except for successful outcomes. */
export function readingGlyph({ name, reading }: EffectMeasure): GlyphName {
  if (reading === 'unclear' || reading === 'too_few') return 'unknown'
  return (reading === 'more') === (name === 'outcome') ? 'done' : 'failed'
}

const STEPS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1]

/** The common range of all bars in a table, so that they can be compared. */
export function chartReach(templates: readonly ListedTemplate[]): number {
  const most = templates.reduce(
    (
      sofar,
      {
        effect: {
          tool_errors: { low, high },
        },
      },
    ) => {
      return Math.max(sofar, Math.abs(low ?? 0), Math.abs(high ?? 0))
    },
    0,
  )
  return STEPS.find((step) => step >= most) ?? 1
}

/** Formats the creation day of a template. The file states seconds, which may be any number. */
export function formatCreationDay(seconds: number, now: number): string {
  const at = seconds > 0 ? toMilliseconds(seconds) : null
  return at === null ? w.panel.dateUnknown : f.day(at, now)
}
