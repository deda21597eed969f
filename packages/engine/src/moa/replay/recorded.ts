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
import { parted } from '../guidance.ts'
import type { Recorded } from '../open.ts'
import { isRecursive } from '../presets.ts'
import type { TurnAsk } from '../turn.ts'

/** A call of a turn as it is asked again. */
export interface Replayed {
  readonly preset: string
  readonly recorded: Recorded
  readonly ask: TurnAsk
}

export interface ReplayOptions {
  readonly records: readonly TraceRecord[]
  readonly input: ReplayInput
  readonly presets: Readonly<Record<string, MoaPreset>>
  readonly providers: Providers
}

/**
 * The last call of a turn, which is the one that gave its answer, with one thing changed: references get what they were
 * sent, and the acting model the recorded conversation with what they say now.
 */
export function replayedCall({ records, input, presets, providers }: ReplayOptions): Result<Replayed> {
  const last = records.findLast(({ aggregator }) => aggregator.input_messages !== null)
  if (last === undefined)
    return failure(
      'invalid',
      'The turn was stopped before its acting model was asked, so there is nothing to ask it again.',
    )
  const asked = records
    .slice(0, records.indexOf(last) + 1)
    .findLast(({ references }) => references.length > 0)
  if (asked === undefined && (presets[last.preset]?.reference_models.length ?? 0) > 0 && last.iteration > 1)
    return failure(
      'invalid',
      'The line of the turn with its references is no longer there: its file was begun anew since. Nothing can be asked again.',
    )
  const kept = without(asked?.references ?? [], input.without)
  if (!kept.ok) return kept
  const own = slotOf(last.aggregator)
  const aggregator = input.aggregator === undefined ? success(own) : namedModel(input.aggregator, providers)
  if (!aggregator.ok) return aggregator
  const preset = presetOf(presets[last.preset], kept.value, aggregator.value)
  if (preset === undefined) return failure('invalid', 'The record of the turn names no models.')
  return success({
    preset: last.preset,
    recorded: {
      resolved: { name: last.preset, preset, references: preset.reference_models },
      inputs: kept.value.map(({ input_messages }) => (input_messages ?? []) as ChatMessage[]),
    },
    ask: {
      messages: parted((last.aggregator.input_messages ?? []) as ChatMessage[]).messages,
      rest: parametersIn(last, own),
      stream: true,
    },
  })
}

/** What holds for the preset now, but for its models and their temperatures. */
function presetOf(
  now: MoaPreset | undefined,
  references: readonly TraceReference[],
  aggregator: MoaSlot,
): MoaPreset | undefined {
  const checked = check(moaPreset, {
    ...now,
    enabled: true,
    reference_models: references.map(slotOf),
    aggregator,
    reference_temperature: references[0]?.temperature ?? null,
    aggregator_temperature: null,
  })
  return checked.ok ? checked.value : undefined
}

const EFFORT = /\[reasoning=([^\]]+)\]$/

const slotOf = ({
  label,
  provider,
  model,
}: Pick<TraceReference, 'label' | 'provider' | 'model'>): MoaSlot => ({
  provider: provider ?? '',
  model: model ?? '',
  enabled: true,
  reasoning_effort: EFFORT.exec(label)?.[1] ?? null,
})

/** All that was sent beside the messages; the effort is the model's own, and comes with it. */
function parametersIn({ aggregator }: TraceRecord, own: MoaSlot): Readonly<Record<string, unknown>> {
  const { parameters = {}, temperature } = aggregator
  const { reasoning_effort: effort, ...others } = parameters
  return {
    ...(temperature === null ? {} : { temperature }),
    ...others,
    ...(effort === undefined || own.reasoning_effort ? {} : { reasoning_effort: effort }),
  }
}

function without(
  references: readonly TraceReference[],
  named: string | undefined,
): Result<readonly TraceReference[]> {
  if (named === undefined) return success(references)
  const fitting = references.flatMap((one, at) => (isNamed(one, at, named) ? [at] : []))
  const there = references.map(({ label }, at) => `${at + 1} ${label}`).join(', ')
  if (fitting.length === 1) return success(references.filter((_, at) => at !== fitting[0]))
  return fitting.length === 0
    ? failure('not_found', `The turn has no reference ${named}. It has: ${there || 'none'}.`)
    : failure('invalid', `Several references are ${named}. Say which by its number: ${there}.`)
}

const isNamed = ({ label, provider, model }: TraceReference, at: number, named: string): boolean =>
  String(at + 1) === named || [label, model, `${provider}/${model}`, `${provider}:${model}`].includes(named)

/** `provider/model`, or `provider:model` as labels have it. */
function namedModel(named: string, providers: Providers): Result<MoaSlot> {
  const slots = ['/', ':'].flatMap((mark): MoaSlot[] => {
    const at = named.indexOf(mark)
    return at < 1 ? [] : [{ provider: named.slice(0, at), model: named.slice(at + 1), enabled: true }]
  })
  if (slots.some(isRecursive))
    return failure('invalid', 'A preset cannot be the acting model of a turn. Name a model.')
  const [first] = slots
  const known = slots.find(({ provider, model }) => model !== '' && providers.get(provider).ok)
  if (known) return success(known)
  if (first === undefined || first.model === '')
    return failure('invalid', `${named} is no model. Name it as provider/model.`)
  const missing = providers.get(first.provider)
  return missing.ok ? success(first) : missing
}
