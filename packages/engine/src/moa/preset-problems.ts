import type { MoaPreset, MoaSlot, Problem } from '@panoptes/schema'
import { isRecursive } from './presets.ts'

const RECURSIVE = 'must not be a preset itself: it would ask itself for ever. Name a model.'

/** Where a preset is part of a preset. */
export function recursionIn({ reference_models: references, aggregator }: MoaPreset): readonly Problem[] {
  return places(references, aggregator).flatMap(([path, slot]) =>
    isRecursive(slot) ? [{ path, reason: RECURSIVE }] : [],
  )
}

/** What keeps a preset from working as it says, for whoever writes it down. */
export function problemsOf(preset: MoaPreset, providerProblem: ProviderProblem): readonly Problem[] {
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
      ? [{ path: 'quorum', reason: `must not be over the ${enabled} references that are asked` }]
      : []),
  ]
}

/** Why a provider cannot be asked; nothing where it can. */
export type ProviderProblem = (name: string) => string | undefined

const places = (references: readonly MoaSlot[], aggregator: MoaSlot): readonly [string, MoaSlot][] => [
  ...references.map((slot, at): [string, MoaSlot] => [`reference_models.${at}`, slot]),
  ['aggregator', aggregator],
]

const LONGEST_NAME = 100

/** What is wrong with a name for a preset. */
export function nameProblem(name: string): string | undefined {
  if (name.trim() !== name || name === '') return 'The name of a preset has no blanks at its ends.'
  if (name.length > LONGEST_NAME) return `The name of a preset has at most ${LONGEST_NAME} characters.`
  if (/\p{C}/u.test(name)) return 'The name of a preset has only visible characters.'
  return name === '__proto__' ? 'A preset cannot be called that.' : undefined
}
