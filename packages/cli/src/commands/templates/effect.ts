import type { EffectMeasure, TemplateEffect } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { columns, count } from '../../terminal/format.ts'
import { plain } from '../sessions/format.ts'
import { withTemplates } from './access.ts'
import { nameText } from './format.ts'

export async function effect(
  context: Context,
  name: string | undefined,
  { project }: { readonly project?: string },
): Promise<void> {
  const { output } = context
  if (name !== undefined) {
    const one = await withTemplates(context, 'read', (templates) => templates.effect(name, project))
    return output.answer(lines(context, one), one)
  }
  const all = await withTemplates(context, 'read', (templates) => templates.effects(project))
  const sections = all.flatMap((one, at) => [
    ...(at > 0 ? [''] : []),
    output.paint.bold(`${nameText(one.template)}: ${one.task_type}`),
    ...lines(context, one),
  ])
  output.answer(all.length === 0 ? ['No templates found'] : sections, all)
}

function lines({ output: { paint } }: Context, effect: TemplateEffect): readonly string[] {
  const { says, measures, caveats, verdict } = effect
  if (verdict === 'not_used') return [plain(says, 400)]
  const head = ['', 'with', 'sessions', 'without', 'sessions', 'difference', '95 % interval', '']
  return [
    plain(says, 400),
    ...columns([head, ...measures.map(cells)]),
    ...caveats.map((caveat) => paint.dim(plain(caveat, 400))),
  ]
}

const NAMES: Readonly<Record<EffectMeasure['name'], string>> = {
  tool_errors: 'failed tool calls',
  turns: 'turns',
  tokens: 'tokens',
  outcome: 'functional outcome',
}

const READINGS: Readonly<Record<EffectMeasure['reading'], string>> = {
  fewer: 'fewer',
  more: 'more',
  unclear: 'unclear',
  too_few: 'too few sessions',
}

const isShare = (name: EffectMeasure['name']): boolean => name === 'tool_errors' || name === 'outcome'

function cells(measure: EffectMeasure): readonly string[] {
  const { name, low, high } = measure
  const value = (number: number | null) => (isShare(name) ? share(number) : formatMean(number))
  const change = (number: number | null) =>
    name === 'turns' ? formatSigned(number, formatMean) : formatSigned(number, share)
  return [
    NAMES[name],
    value(measure.with),
    count(measure.with_sessions),
    value(measure.without),
    count(measure.without_sessions),
    change(measure.difference),
    low === null || high === null ? '–' : `${change(low)} to ${change(high)}`,
    READINGS[measure.reading],
  ]
}

const share = (value: number | null): string => (value === null ? '–' : `${(100 * value).toFixed(1)} %`)

const formatMean = (value: number | null): string =>
  value === null ? '–' : Math.abs(value) >= 100 ? count(Math.round(value)) : value.toFixed(1)

const formatSigned = (value: number | null, words: (value: number | null) => string): string =>
  value !== null && value > 0 ? `+${words(value)}` : words(value)
