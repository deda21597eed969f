import type { AgentStates, Compartment } from '@panoptes/schema'
import type { ChatEpoch, NextSummary } from '../conversations-port.ts'

/** Returns the number of a message in the conversation, or null when it is gone. */
export type PlaceOf = (message: string) => number | null

/** Higher than the number of any message. */
export const NO_END = Number.MAX_SAFE_INTEGER

/**
 * Returns what remains of an epoch when the messages from a number on are deleted. Nothing remains if its
 * summary covers one of them.
 */
export function epochBefore(stored: ChatEpoch | null, findPlace: PlaceOf, end: number): ChatEpoch | null {
  if (stored === null) return null
  const { next, ...epoch } = stored
  const isThere = (message: string) => (findPlace(message) ?? end) < end
  if (epoch.summarised_to !== null && !isThere(epoch.summarised_to)) return null
  return next && isThere(next.to) ? { ...epoch, next } : epoch
}

/** A runtime that has seen a deleted message cannot continue from there and starts fresh. */
export function statesBefore(states: AgentStates, findPlace: PlaceOf, end: number): AgentStates {
  const isThere = ({ synced_message_id: seen }: Compartment) =>
    seen === undefined || (findPlace(seen) ?? end) < end
  const runtimes = Object.entries(states.runtimes).filter(([, compartment]) => isThere(compartment))
  return { ...states, runtimes: Object.fromEntries(runtimes) }
}

/** Returns the messages that an epoch and the runtime states refer to. */
export const listReferencedMessages = (epoch: ChatEpoch | null, states: AgentStates): readonly string[] =>
  [
    epoch?.summarised_to ?? [],
    epoch?.next?.to ?? [],
    Object.values(states.runtimes).map(({ synced_message_id: seen }) => seen ?? []),
  ].flat(2)

/** Returns the number of the last message that an epoch's summary covers. */
export const summaryEnd = (epoch: ChatEpoch | null, findPlace: PlaceOf): number =>
  epoch?.summarised_to == null ? 0 : (findPlace(epoch.summarised_to) ?? 0)

/** Returns null when there is nothing to change. */
export function addNextSummary(
  epoch: ChatEpoch | null,
  next: NextSummary,
  findPlace: PlaceOf,
): ChatEpoch | null {
  const to = findPlace(next.to)
  if (epoch === null || to === null) return null
  return to >= summaryEnd(epoch, findPlace) ? { ...epoch, next } : null
}

/**
 * Lets a fork continue with the context of its beginning. `named` maps each message to its id in the fork.
 */
export function mapEpochToFork(
  { next, summarised_to: last, ...rest }: ChatEpoch,
  named: ReadonlyMap<string, string>,
): ChatEpoch {
  const toForkId = (message: string) => named.get(message) ?? message
  return {
    ...rest,
    summarised_to: last === null ? null : toForkId(last),
    ...(next && { next: { ...next, to: toForkId(next.to) } }),
  }
}

/**
 * Builds the line that states a fact, the text that replaces it when the fact is forgotten, and the JSON form
 * of both.
 */
export function createFactReplacement(factText: string) {
  const escapeJson = (text: string) => JSON.stringify(text).slice(1, -1)
  const [line, instead] = [`\n${factText}\n`, '\n- (forgotten)\n']
  return { line, instead, lineInJson: escapeJson(line), insteadInJson: escapeJson(instead) }
}
