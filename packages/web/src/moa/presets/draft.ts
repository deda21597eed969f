import type { MoaPreset, MoaSlot, Problem } from '@panoptes/schema'

/** A model as it is typed. */
export interface SlotDraft {
  readonly provider: string
  readonly model: string
  readonly effort: string
  readonly enabled: boolean
}

/** A preset as it is typed: figures are texts until they are sent. */
export interface Draft {
  readonly name: string
  readonly references: readonly SlotDraft[]
  readonly aggregator: SlotDraft
  readonly fanout: 'user_turn' | 'per_iteration' | 'every_n'
  readonly every: string
  readonly policy: MoaPreset['degraded_reference_policy']
  readonly budget: string
  readonly timeout: string
  readonly deadline: string
  readonly quorum: string
  readonly maxCost: string
  readonly referenceTemperature: string
  readonly aggregatorTemperature: string
  readonly enabled: boolean
}

export const emptySlot = (provider = ''): SlotDraft => ({ provider, model: '', effort: '', enabled: true })

export const emptyDraft = (provider = ''): Draft => ({
  name: '',
  references: [emptySlot(provider), emptySlot(provider)],
  aggregator: emptySlot(provider),
  fanout: 'user_turn',
  every: '5',
  policy: 'loud',
  budget: '4000',
  timeout: '',
  deadline: '',
  quorum: '',
  maxCost: '',
  referenceTemperature: '',
  aggregatorTemperature: '',
  enabled: true,
})

const EVERY_N = /^every_n:(\d+)$/

export function draftOf(name: string, preset: MoaPreset): Draft {
  const every = EVERY_N.exec(preset.fanout)?.[1]
  return {
    name,
    references: preset.reference_models.map(slotDraft),
    aggregator: slotDraft(preset.aggregator),
    fanout:
      every === undefined ? (preset.fanout === 'per_iteration' ? 'per_iteration' : 'user_turn') : 'every_n',
    every: every ?? '5',
    policy: preset.degraded_reference_policy,
    budget: String(preset.reference_tool_result_budget),
    timeout: textOf(preset.reference_timeout),
    deadline: textOf(preset.deadline),
    quorum: textOf(preset.quorum),
    maxCost: textOf(preset.max_cost_usd),
    referenceTemperature: textOf(preset.reference_temperature),
    aggregatorTemperature: textOf(preset.aggregator_temperature),
    enabled: preset.enabled,
  }
}

const slotDraft = ({ provider, model, reasoning_effort, enabled }: MoaSlot): SlotDraft => ({
  provider,
  model,
  effort: reasoning_effort ?? '',
  enabled,
})

const textOf = (value: number | null): string => (value === null ? '' : String(value))

/** What is sent. What is no figure goes as it was typed: the server says what is wrong with it. */
export const presetOf = (draft: Draft): Readonly<Record<string, unknown>> => ({
  enabled: draft.enabled,
  reference_models: draft.references.map(slotOf),
  aggregator: slotOf(draft.aggregator),
  fanout: draft.fanout === 'every_n' ? `every_n:${draft.every.trim()}` : draft.fanout,
  degraded_reference_policy: draft.policy,
  reference_tool_result_budget: figureOf(draft.budget) ?? undefined,
  reference_timeout: figureOf(draft.timeout),
  deadline: figureOf(draft.deadline),
  quorum: figureOf(draft.quorum),
  max_cost_usd: figureOf(draft.maxCost),
  reference_temperature: figureOf(draft.referenceTemperature),
  aggregator_temperature: figureOf(draft.aggregatorTemperature),
})

const slotOf = ({ provider, model, effort, enabled }: SlotDraft): object => ({
  provider: provider.trim(),
  model: model.trim(),
  enabled,
  ...(effort.trim() === '' ? {} : { reasoning_effort: effort.trim() }),
})

function figureOf(text: string): number | string | null {
  const typed = text.trim()
  if (typed === '') return null
  const figure = Number(typed)
  return Number.isFinite(figure) ? figure : typed
}

/** `reference_models.0.model`, however the server writes a place. */
const normal = (path: string): string => path.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '')

/** What is wrong with a field, or with what is in it. */
export const problemsAt = (problems: readonly Problem[], field: string): readonly string[] =>
  problems.flatMap(({ path, reason }) => {
    const at = normal(path)
    return at === field || at.startsWith(`${field}.`) ? [reason] : []
  })

const FIELDS = [
  'reference_models',
  'aggregator',
  'fanout',
  'degraded_reference_policy',
  'reference_tool_result_budget',
  'reference_timeout',
  'deadline',
  'quorum',
  'max_cost_usd',
  'reference_temperature',
  'aggregator_temperature',
]

/** What is wrong with nothing that has a field. */
export const otherProblems = (problems: readonly Problem[]): readonly Problem[] =>
  problems.filter(({ path }) => {
    const at = normal(path)
    return !FIELDS.some((field) => at === field || at.startsWith(`${field}.`))
  })

/** Whether each field has something that has to; what it has is for the server to judge. */
export const isWhole = ({ name, references, aggregator }: Draft): boolean =>
  name.trim() !== '' &&
  [...references, aggregator].every(({ provider, model }) => provider.trim() !== '' && model.trim() !== '')
