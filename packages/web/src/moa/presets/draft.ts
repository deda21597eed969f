import type { MoaPreset, MoaSlot, Problem } from '@panoptes/schema'

/** A slot as it is edited. */
export interface SlotDraft {
  readonly provider: string
  readonly model: string
  readonly effort: string
  readonly enabled: boolean
}

/** A preset as it is edited. Numbers stay text until they are sent. */
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

export function toDraft(name: string, preset: MoaPreset): Draft {
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
    timeout: toText(preset.reference_timeout),
    deadline: toText(preset.deadline),
    quorum: toText(preset.quorum),
    maxCost: toText(preset.max_cost_usd),
    referenceTemperature: toText(preset.reference_temperature),
    aggregatorTemperature: toText(preset.aggregator_temperature),
    enabled: preset.enabled,
  }
}

const slotDraft = ({ provider, model, reasoning_effort, enabled }: MoaSlot): SlotDraft => ({
  provider,
  model,
  effort: reasoning_effort ?? '',
  enabled,
})

const toText = (value: number | null): string => (value === null ? '' : String(value))

/** Converts a draft to a request. Invalid numbers are sent as text, so that the server reports them. */
export const toPreset = (draft: Draft): Readonly<Record<string, unknown>> => ({
  enabled: draft.enabled,
  reference_models: draft.references.map(toSlot),
  aggregator: toSlot(draft.aggregator),
  fanout: draft.fanout === 'every_n' ? `every_n:${draft.every.trim()}` : draft.fanout,
  degraded_reference_policy: draft.policy,
  reference_tool_result_budget: parseFigure(draft.budget) ?? undefined,
  reference_timeout: parseFigure(draft.timeout),
  deadline: parseFigure(draft.deadline),
  quorum: parseFigure(draft.quorum),
  max_cost_usd: parseFigure(draft.maxCost),
  reference_temperature: parseFigure(draft.referenceTemperature),
  aggregator_temperature: parseFigure(draft.aggregatorTemperature),
})

const toSlot = ({ provider, model, effort, enabled }: SlotDraft): object => ({
  provider: provider.trim(),
  model: model.trim(),
  enabled,
  ...(effort.trim() === '' ? {} : { reasoning_effort: effort.trim() }),
})

function parseFigure(text: string): number | string | null {
  const typed = text.trim()
  if (typed === '') return null
  const figure = Number(typed)
  return Number.isFinite(figure) ? figure : typed
}

/** Normalizes the path of a problem to `reference_models.0.model`. */
const normal = (path: string): string => path.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '')

/** The problems of a field and of everything in it. */
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

/** The problems that belong to no field of the form. */
export const listFormProblems = (problems: readonly Problem[]): readonly Problem[] =>
  problems.filter(({ path }) => {
    const at = normal(path)
    return !FIELDS.some((field) => at === field || at.startsWith(`${field}.`))
  })

/** Whether every required field is filled in; the server validates the values. */
export const isWhole = ({ name, references, aggregator }: Draft): boolean =>
  name.trim() !== '' &&
  [...references, aggregator].every(({ provider, model }) => provider.trim() !== '' && model.trim() !== '')
