import type { EffectMeasure, ListedTemplate } from '@panoptes/schema'
import type { GlyphName } from '../design/glyph.tsx'
import * as f from '../format.ts'
import { words } from '../words.ts'

const w = words.templates
const MINUS = '−'
const HUNDRED = 100

/** −11, +2, 0: a figure with its sign, with one decimal where it would be none without it. */
function signed(value: number): string {
  const size = Math.abs(value)
  const whole = Math.round(size)
  const shown = size < 1 ? Math.round(size * 10) / 10 : whole
  if (shown === 0) return '0'
  return `${value < 0 ? MINUS : '+'}${f.count(shown)}`
}

/** −11 pts of a difference between shares. */
export const points = (share: number): string => w.points(signed(share * HUNDRED))

const isShare = ({ name }: EffectMeasure): boolean => name === 'tool_errors' || name === 'outcome'

/** What one side comes to: 8 %, 22, 1.9M. */
export function valueText(measure: EffectMeasure, side: 'with' | 'without'): string {
  const value = measure[side]
  if (value === null) return words.unknown
  if (isShare(measure)) return w.percent(value)
  return measure.name === 'tokens' ? f.shortCount(Math.round(value)) : f.rate(value).replace(/\.0$/, '')
}

export function differenceText(measure: EffectMeasure): string {
  const { difference } = measure
  if (difference === null) return words.unknown
  if (isShare(measure)) return points(difference)
  return measure.name === 'tokens' ? `${signed(difference * HUNDRED)} %` : signed(difference)
}

/** −19 … −3 in the unit of the difference. */
export function intervalText(measure: EffectMeasure): string {
  const { low, high } = measure
  if (low === null || high === null) return words.unknown
  const scale = measure.name === 'turns' ? 1 : HUNDRED
  const said = w.between(signed(low * scale), signed(high * scale))
  return measure.name === 'tokens' ? `${said} %` : said
}

/** Whether what was found is for the better: fewer of all but of what came out well. */
export function readingGlyph({ name, reading }: EffectMeasure): GlyphName {
  if (reading === 'unclear' || reading === 'too_few') return 'unknown'
  return (reading === 'more') === (name === 'outcome') ? 'done' : 'failed'
}

const STEPS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1]

/** How far the bars of a table reach to each side: the same for all, so that they can be compared. */
export function reachOf(templates: readonly ListedTemplate[]): number {
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
