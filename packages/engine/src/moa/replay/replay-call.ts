import type { ChatMessage, Providers } from '@panoptes/engine/models'
import {
  check,
  type MoaPreset,
  type MoaSlot,
  moaPreset,
  type ReplayInput,
  type Result,
  type TraceRecord,
  type TraceReference,
} from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { splitGuidance } from '../guidance.ts'
import type { RecordedCall } from '../open.ts'
import { isRecursive } from '../presets.ts'
import type { TurnAsk } from '../turn.ts'

/** A recorded call, prepared to be asked again. */
export interface PreparedReplay {
  readonly preset: string
  readonly recorded: RecordedCall
  readonly ask: TurnAsk
}

export interface ReplayOptions {
  readonly records: readonly TraceRecord[]
  readonly input: ReplayInput
  readonly presets: Readonly<Record<string, MoaPreset>>
  readonly providers: Providers
}

/**
 * Prepares a replay of a turn's last call, which produced its answer, with one thing changed.
 * References get their recorded input; the acting model gets the recorded conversation with the new
 * advice.
 */
export function prepareReplay({ records, input, presets, providers }: ReplayOptions): Result<PreparedReplay> {
  const last = records.findLast(({ aggregator }) => aggregator.input_messages !== null)
  if (last === undefined)
    return failure(
      'invalid',
      'The turn was stopped before the acting model ran, so there is nothing to replay.',
    )
  const referencesRecord = records
    .slice(0, records.indexOf(last) + 1)
    .findLast(({ references }) => references.length > 0)
  if (
    referencesRecord === undefined &&
    (presets[last.preset]?.reference_models.length ?? 0) > 0 &&
    last.iteration > 1
  )
    return failure(
      'invalid',
      'The trace with the references of this turn was deleted when its file was replaced, so it cannot be replayed.',
    )
  const remaining = removeReference(referencesRecord?.references ?? [], input.without)
  if (!remaining.ok) return remaining
  const own = toSlot(last.aggregator)
  const aggregator = input.aggregator === undefined ? success(own) : parseModel(input.aggregator, providers)
  if (!aggregator.ok) return aggregator
  const preset = buildPreset(presets[last.preset], remaining.value, aggregator.value)
  if (preset === undefined) return failure('invalid', 'The record of the turn does not name its models.')
  return success({
    preset: last.preset,
    recorded: {
      resolved: { name: last.preset, preset, references: preset.reference_models },
      inputs: remaining.value.map(({ input_messages }) => (input_messages ?? []) as ChatMessage[]),
    },
    ask: {
      messages: splitGuidance((last.aggregator.input_messages ?? []) as ChatMessage[]).messages,
      rest: readParameters(last, own),
      stream: true,
    },
  })
}

/** Uses the preset's current settings, except its models and their temperatures. */
function buildPreset(
  now: MoaPreset | undefined,
  references: readonly TraceReference[],
  aggregator: MoaSlot,
): MoaPreset | undefined {
  const checked = check(moaPreset, {
    ...now,
    enabled: true,
    reference_models: references.map(toSlot),
    aggregator,
    reference_temperature: references[0]?.temperature ?? null,
    aggregator_temperature: null,
  })
  return checked.ok ? checked.value : undefined
}

const EFFORT = /\[reasoning=([^\]]+)\]$/

const toSlot = ({
  label,
  provider,
  model,
}: Pick<TraceReference, 'label' | 'provider' | 'model'>): MoaSlot => ({
  provider: provider ?? '',
  model: model ?? '',
  enabled: true,
  reasoning_effort: EFFORT.exec(label)?.[1] ?? null,
})

/** The recorded parameters. The reasoning effort belongs to the model and is added with it. */
function readParameters({ aggregator }: TraceRecord, own: MoaSlot): Readonly<Record<string, unknown>> {
  const { parameters = {}, temperature } = aggregator
  const { reasoning_effort: effort, ...others } = parameters
  return {
    ...(temperature === null ? {} : { temperature }),
    ...others,
    ...(effort === undefined || own.reasoning_effort ? {} : { reasoning_effort: effort }),
  }
}

function removeReference(
  references: readonly TraceReference[],
  named: string | undefined,
): Result<readonly TraceReference[]> {
  if (named === undefined) return success(references)
  const fitting = references.flatMap((one, at) => (matchesName(one, at, named) ? [at] : []))
  const there = references.map(({ label }, at) => `${at + 1} ${label}`).join(', ')
  if (fitting.length === 1) return success(references.filter((_, at) => at !== fitting[0]))
  return fitting.length === 0
    ? failure('not_found', `The turn has no reference ${named}. Available: ${there || 'none'}.`)
    : failure('invalid', `Several references match ${named}. Use a number: ${there}.`)
}

const matchesName = ({ label, provider, model }: TraceReference, at: number, named: string): boolean =>
  String(at + 1) === named || [label, model, `${provider}/${model}`, `${provider}:${model}`].includes(named)

/** Accepts `provider/model`, and `provider:model` as used in labels. */
function parseModel(named: string, providers: Providers): Result<MoaSlot> {
  const slots = ['/', ':'].flatMap((mark): MoaSlot[] => {
    const at = named.indexOf(mark)
    return at < 1 ? [] : [{ provider: named.slice(0, at), model: named.slice(at + 1), enabled: true }]
  })
  if (slots.some(isRecursive))
    return failure('invalid', 'A preset cannot be the acting model of a turn. Choose a model.')
  const [first] = slots
  const available = slots.find(({ provider, model }) => model !== '' && providers.get(provider).ok)
  if (available) return success(available)
  if (first === undefined || first.model === '')
    return failure('invalid', `${named} is not a model. Use provider/model.`)
  const missing = providers.get(first.provider)
  return missing.ok ? success(first) : missing
}
