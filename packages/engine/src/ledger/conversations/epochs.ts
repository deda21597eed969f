import type { AgentStates, Compartment } from '@panoptes/schema'
import type { ChatEpoch, NextSummary } from '../conversations-port.ts'

/** The number of a message of the conversation; null where it is gone. */
export type PlaceOf = (message: string) => number | null

/** No message has a higher number. */
export const NO_END = Number.MAX_SAFE_INTEGER

/** What remains of an epoch when the messages from a number on are gone: none where its summary tells of one of them. */
export function epochBefore(stored: ChatEpoch | null, placeOf: PlaceOf, end: number): ChatEpoch | null {
  if (stored === null) return null
  const { next, ...epoch } = stored
  const isThere = (message: string) => (placeOf(message) ?? end) < end
  if (epoch.summarised_to !== null && !isThere(epoch.summarised_to)) return null
  return next && isThere(next.to) ? { ...epoch, next } : epoch
}

/** A runtime that has seen what is gone from a number on cannot go on from there: it begins anew. */
export function statesBefore(states: AgentStates, placeOf: PlaceOf, end: number): AgentStates {
  const isThere = ({ synced_message_id: seen }: Compartment) =>
    seen === undefined || (placeOf(seen) ?? end) < end
  const runtimes = Object.entries(states.runtimes).filter(([, compartment]) => isThere(compartment))
  return { ...states, runtimes: Object.fromEntries(runtimes) }
}

/** The messages that an epoch and states name. */
export const namedBy = (epoch: ChatEpoch | null, states: AgentStates): readonly string[] =>
  [
    epoch?.summarised_to ?? [],
    epoch?.next?.to ?? [],
    Object.values(states.runtimes).map(({ synced_message_id: seen }) => seen ?? []),
  ].flat(2)

/** The number up to which an epoch tells by its summary. */
export const toldTo = (epoch: ChatEpoch | null, placeOf: PlaceOf): number =>
  epoch?.summarised_to == null ? 0 : (placeOf(epoch.summarised_to) ?? 0)

/** Null where there is nothing to change. */
export function withNext(epoch: ChatEpoch | null, next: NextSummary, placeOf: PlaceOf): ChatEpoch | null {
  const to = placeOf(next.to)
  if (epoch === null || to === null) return null
  return to >= toldTo(epoch, placeOf) ? { ...epoch, next } : null
}

/** A fork goes on with what its beginning was told; `named` gives its name of each message. */
export function forkedEpoch(
  { next, summarised_to: last, ...rest }: ChatEpoch,
  named: ReadonlyMap<string, string>,
): ChatEpoch {
  const nameOf = (message: string) => named.get(message) ?? message
  return {
    ...rest,
    summarised_to: last === null ? null : nameOf(last),
    ...(next && { next: { ...next, to: nameOf(next.to) } }),
  }
}

/** A line that was told, what stands in its place when it is to be forgotten, and how both are written in JSON. */
export function unsaid(told: string) {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
  const [line, instead] = [`\n${told}\n`, '\n- (forgotten)\n']
  return { line, instead, lineInJson: inJson(line), insteadInJson: inJson(instead) }
}
