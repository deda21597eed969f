import type { ListedPreset } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { columns, tilde } from '../../terminal/words.ts'
import { plain } from '../sessions/words.ts'
import { withMoa } from './access.ts'
import { notHere } from './not-here.ts'

export async function presets(context: Context): Promise<void> {
  const reply = await withMoa(context, 'read', (moa) => moa.presets())
  const { bold, red } = context.output.paint
  const lines = reply.presets.flatMap((one) => [
    `${bold(plain(one.name, 100))}${one.name === reply.default_preset ? ' (default)' : ''}${one.from === 'hermes' ? ' (of Hermes)' : ''}`,
    ...columns(rows(one)),
    ...one.problems.map((problem) => `  ${red('problem')}  ${plain(problem, 300)}`),
  ])
  const away = await notHere(reply.providers)
  const here = reply.providers.filter(({ name }) => !away.has(name))
  const providers = here.map(({ name, base_url, from, key, has_key }) => [
    plain(name, 40),
    plain(base_url ?? '', 80),
    from,
    key === null ? 'no key' : `${plain(key, 80)}${has_key ? '' : ' (not there)'}`,
  ])
  context.output.answer(
    [
      ...(lines.length > 0
        ? lines
        : ['No presets yet', `Write one into ${tilde(context.paths.config)} under moa.presets`]),
      '',
      'Providers',
      ...columns(providers),
      ...(away.size === 0 ? [] : [`Not running on this computer: ${[...away].join(', ')}`]),
      '',
      `Turns are ${reply.save_traces ? '' : 'not '}written down whole (moa.save_traces)`,
    ],
    { ok: true, ...reply },
  )
}

function rows({ preset }: ListedPreset): string[][] {
  const label = ({ provider, model, reasoning_effort: effort }: ListedPreset['preset']['aggregator']) =>
    plain(`${provider}:${model}${effort ? `[reasoning=${effort}]` : ''}`, 100)
  const limits = [
    preset.deadline === null ? '' : `deadline ${preset.deadline} s`,
    preset.quorum === null ? '' : `quorum ${preset.quorum}`,
    preset.max_cost_usd === null ? '' : `at most $${preset.max_cost_usd}`,
  ].filter((text) => text !== '')
  return [
    ...preset.reference_models.map((slot) => ['asks', `${label(slot)}${slot.enabled ? '' : ' (off)'}`]),
    ['acts', label(preset.aggregator)],
    ['fan-out', [preset.enabled ? preset.fanout : 'off', ...limits].join(', ')],
  ]
}
