import type { MoaPreset, MoaSlot, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'

/** Formats a slot as `provider:model`, with its reasoning effort if it sets one. */
export const slotLabel = ({ provider, model, reasoning_effort: effort }: MoaSlot): string =>
  effort ? `${provider}:${model}[reasoning=${effort}]` : `${provider}:${model}`

/** A preset inside a preset could ask itself forever. */
export const isRecursive = ({ provider, model }: MoaSlot): boolean =>
  provider === 'moa' || model.startsWith('moa/') || provider.startsWith('moa:')

export interface ResolvedPreset {
  readonly name: string
  readonly preset: MoaPreset
  readonly references: readonly MoaSlot[]
}

export function resolvePreset(
  presets: Readonly<Record<string, MoaPreset>>,
  name: string,
): Result<ResolvedPreset> {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined
  if (preset === undefined) {
    const there = Object.keys(presets)
    const next =
      there.length === 0 ? 'Add one to config.yaml under moa.presets.' : `Available: ${there.join(', ')}.`
    return failure('not_found', `Unknown preset: ${name}. ${next}`)
  }
  if (isRecursive(preset.aggregator))
    return failure('invalid', `The aggregator of ${name} is a preset. It must be a model.`)
  const references = preset.enabled ? preset.reference_models.filter(({ enabled }) => enabled) : []
  return success({ name, preset, references })
}
