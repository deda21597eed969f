import type { TurnSlot } from '@panoptes/schema'

/** The slots of a preset in a turn, each with all of its calls. */
export interface Places {
  /** Indexed by place in the preset; the calls of each are in order. */
  readonly references: readonly (readonly TurnSlot[])[]
  readonly aggregator: readonly TurnSlot[]
}

/**
 * Groups the calls of a turn by slot. Several slots may use the same model, and each may be asked again for
 * every call of the aggregator.
 */
export function groupByPlace(slots: readonly TurnSlot[]): Places {
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
    // A new fan-out can also start without an aggregator call after the previous one.
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

/** Counts the references that answered in the last fan-out. */
export function countAdvice({ slots }: { readonly slots: readonly TurnSlot[] }): {
  readonly good: number
  readonly all: number
} {
  const { references } = groupByPlace(slots)
  return {
    good: references.filter((calls) => calls.at(-1)?.error === null).length,
    all: references.length,
  }
}
