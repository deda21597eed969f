import type { MoaPreset, MoaSlot, Problem, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'

const RECURSIVE = 'must not be a preset, because presets cannot call presets. Choose a model.'

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

/** Finds slots that refer to a preset, because presets cannot be nested. */
export function recursionIn({ reference_models: references, aggregator }: MoaPreset): readonly Problem[] {
  return places(references, aggregator).flatMap(([path, slot]) =>
    isRecursive(slot) ? [{ path, reason: RECURSIVE }] : [],
  )
}

/**
 * Finds what keeps a preset from working as written, so that it can be shown when the preset is
 * saved.
 */
export function findPresetProblems(preset: MoaPreset, providerProblem: ProviderProblem): readonly Problem[] {
  const { reference_models: references, aggregator, quorum } = preset
  const enabled = references.filter((slot) => slot.enabled).length
  const unknown = places(references, aggregator).flatMap(([path, slot]) => {
    if (isRecursive(slot) || !slot.enabled) return []
    const reason = providerProblem(slot.provider)
    return reason === undefined ? [] : [{ path: `${path}.provider`, reason }]
  })
  return [
    ...recursionIn(preset),
    ...unknown,
    ...(quorum !== null && quorum > enabled
      ? [{ path: 'quorum', reason: `must not be over the ${enabled} enabled references` }]
      : []),
  ]
}

/** Returns why a provider cannot be asked, or undefined if it can. */
export type ProviderProblem = (name: string) => string | undefined

const places = (references: readonly MoaSlot[], aggregator: MoaSlot): readonly [string, MoaSlot][] => [
  ...references.map((slot, at): [string, MoaSlot] => [`reference_models.${at}`, slot]),
  ['aggregator', aggregator],
]

const LONGEST_NAME = 100

/** Returns what is wrong with a preset name, or undefined if it is valid. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() !== name || name === '') return 'The name of a preset must not start or end with a space.'
  if (name.length > LONGEST_NAME) return `The name of a preset can have at most ${LONGEST_NAME} characters.`
  if (/\p{C}/u.test(name)) return 'The name of a preset can contain only visible characters.'
  return name === '__proto__' ? 'This name is reserved.' : undefined
}
