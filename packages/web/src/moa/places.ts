import type { TurnSlot } from '@panoptes/schema'

/** One place of the preset in a turn, with each time it was asked. */
export interface Places {
  /** By their place in the preset; each with its calls, the first one first. */
  readonly references: readonly (readonly TurnSlot[])[]
  readonly aggregator: readonly TurnSlot[]
}

/** The calls of a turn by their place. The same model may be in several places, and be asked again for each call of the acting one. */
export function placesOf(slots: readonly TurnSlot[]): Places {
  const references: TurnSlot[][] = []
  const aggregator: TurnSlot[] = []
  let place = 0
  let over = Number.NEGATIVE_INFINITY
  for (const slot of slots) {
    if (slot.role === 'aggregator') {
      aggregator.push(slot)
      place = 0
      over = Number.NEGATIVE_INFINITY
      continue
    }
    // A fan-out begins anew also where the acting model was not asked after the one before.
    if (place > 0 && slot.started_at > over) place = 0
    if (place === 0) over = Number.NEGATIVE_INFINITY
    const calls = references[place] ?? []
    calls.push(slot)
    references[place] = calls
    over = Math.max(over, slot.ended_at ?? Number.POSITIVE_INFINITY)
    place += 1
  }
  return { references, aggregator }
}

/** How many of the references of a turn gave advice when they were asked last. */
export function adviceOf({ slots }: { readonly slots: readonly TurnSlot[] }): {
  readonly good: number
  readonly all: number
} {
  const { references } = placesOf(slots)
  return {
    good: references.filter((calls) => calls.at(-1)?.error === null).length,
    all: references.length,
  }
}
