import type { ListedPreset, PresetsReply } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { columns, shortenPath } from '../../terminal/format.ts'
import { plain } from '../sessions/format.ts'
import { withMoa } from './access.ts'

export async function presets(context: Context): Promise<void> {
  const reply = await withMoa(context, 'read', (moa) => moa.presets())
  const { bold, red } = context.output.paint
  const lines = reply.presets.flatMap((one) => [
    `${bold(plain(one.name, 100))}${one.name === reply.default_preset ? ' (default)' : ''}${one.from === 'hermes' ? ' (from Hermes)' : ''}`,
    ...columns(rows(one)),
    ...one.problems.map((problem) => `  ${red('problem')}  ${plain(problem, 300)}`),
  ])
  const away = await findUnreachableProviders(reply.providers)
  const here = reply.providers.filter(({ name }) => !away.has(name))
  const providers = here.map(({ name, base_url, from, key, has_key }) => [
    plain(name, 40),
    plain(base_url ?? '', 80),
    from,
    key === null ? 'no key' : `${plain(key, 80)}${has_key ? '' : ' (not set)'}`,
  ])
  context.output.answer(
    [
      ...(lines.length > 0
        ? lines
        : ['No presets yet', `Add one to ${shortenPath(context.paths.config)} under moa.presets`]),
      '',
      'Providers',
      ...columns(providers),
      ...(away.size === 0 ? [] : [`Not running on this computer: ${[...away].join(', ')}`]),
      '',
      `Traces are ${reply.save_traces ? '' : 'not '}saved (moa.save_traces)`,
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

type Provider = PresetsReply['providers'][number]

const WAIT_MS = 500

/** Local providers that are not configured and do not answer. */
export async function findUnreachableProviders(providers: readonly Provider[]): Promise<ReadonlySet<string>> {
  const local = providers.filter(({ from }) => from === 'local')
  const answers = await Promise.all(local.map(({ base_url }) => isReachable(base_url)))
  return new Set(local.filter((_one, at) => !answers[at]).map(({ name }) => name))
}

const isReachable = async (address: string | null): Promise<boolean> =>
  address !== null &&
  fetch(`${address}/models`, { signal: AbortSignal.timeout(WAIT_MS) }).then(
    async ({ body }) => {
      await body?.cancel()
      return true
    },
    () => false,
  )
