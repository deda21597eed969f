import type { StoredEvent } from '@panoptes/schema'
import { nonEmptyText } from '@panoptes/schema/plain-object'
import { isReminder } from '@panoptes/schema/reading'
import type { AgentRow, OpenCall, Wait } from './row.ts'

const IDLE = 'idle_prompt'
const MOST_WAITS = 16
const ABOUT = 80
/**
 * No event is sent when a person denies a request in the terminal. The calls of one message begin together,
 * so an agent that begins another call this long after it asked, with nothing else under way, has had its
 * answer.
 */
const GOES_ON_MS = 10_000

export const isIdle = ({ on }: Wait): boolean => on === IDLE
export const isIdleEvent = (event: StoredEvent): boolean => event.wait === IDLE

/** Returns whether a person has to decide something before the agent continues. */
export const isAsking = (row: AgentRow): boolean => row.book.waits.some((wait) => !isIdle(wait))

/** Returns the tool named in a reminder, as in "Claude needs your permission to use Bash". */
export const toolIn = (reason: unknown): string | null =>
  typeof reason === 'string' ? (/\bto use ([\w-]+)/.exec(reason)?.[1] ?? null) : null

/** Returns the beginning of a preview, or null without one. */
export const previewStart = (preview: unknown): string | null =>
  nonEmptyText(preview)?.slice(0, ABOUT) ?? null

export function startWait(row: AgentRow, event: StoredEvent): void {
  if (isReminder(event) && isAsking(row)) return
  const wait: Wait = {
    on: nonEmptyText(event.wait),
    call: nonEmptyText(event.call),
    tool: nonEmptyText(event.tool) ?? (isReminder(event) ? toolIn(event.reason) : null),
    about: previewStart(event.input_preview),
    reason: nonEmptyText(event.reason),
    ts: event.ts,
  }
  wait.call ??= findCall(row, wait)
  const { waits } = row.book
  const first = Math.min(...waits.filter((other) => isSame(other, wait)).map(waitStart))
  const others = isIdle(wait)
    ? []
    : waits.filter((other) => !isIdle(other) && !isSame(other, wait)).slice(1 - MOST_WAITS)
  row.book.waits = [...others, first < wait.ts ? { ...wait, since: first } : wait]
}

const waitStart = ({ ts, since }: Wait): number => since ?? ts

/**
 * Returns since when the agent has been asking without a break. Other work it does meanwhile does not matter.
 */
export const waitsSince = ({ book: { waits } }: AgentRow): number | null =>
  waits.length === 0 ? null : Math.min(...waits.map(waitStart))

/**
 * Requests may arrive faster than other events, so an event from before the request does not end the wait.
 */
export function endWaits(row: AgentRow, ts: number): void {
  if (row.book.waits.length > 0) row.book.waits = row.book.waits.filter((wait) => wait.ts > ts)
}

/**
 * A call begins: a wait may belong to it, and other waits end with it. Abandoned requests count as answered.
 */
export function callBegins(row: AgentRow, call: OpenCall): readonly string[] {
  const { waits, open } = row.book
  const busy = open.some(({ id }) => !waits.some((wait) => wait.call === id))
  const own = waits.find((wait) => wait.call === null && isFor(wait, call.tool, call.about))
  if (own !== undefined) own.call = call.id || null
  const isOver = (wait: Wait): boolean => {
    if (wait === own) return false
    if (call.ts < wait.ts) return false
    return isIdle(wait) || isOpenEnded(wait) || (!busy && call.ts - wait.ts > GOES_ON_MS)
  }
  row.book.waits = waits.filter((wait) => !isOver(wait))
  return waits.flatMap((wait) => (isOver(wait) && wait.call !== null ? [wait.call] : []))
}

export function callEnds(row: AgentRow, id: string | null, tool: string, about: string | null): void {
  row.book.waits = row.book.waits.filter(
    (wait) => !(wait.call === null ? isOpenEnded(wait) || isFor(wait, tool, about) : wait.call === id),
  )
}

/**
 * Somebody answered what the event names, or everything if it names nothing. Calls that waited for it count
 * as answered.
 */
export function removeAnsweredWaits(row: AgentRow, event: StoredEvent): readonly string[] {
  const on = nonEmptyText(event.wait)
  const call = nonEmptyText(event.call)
  const tool = nonEmptyText(event.tool)
  const about = previewStart(event.input_preview)
  const { waits } = row.book
  if (call !== null) row.book.waits = waits.filter((wait) => wait.call !== call)
  else if (on !== null) row.book.waits = waits.filter((wait) => wait.on !== on && !isReminded(wait.on))
  else if (tool === null) row.book.waits = []
  else {
    const meant = waits.find((wait) => isFor(wait, tool, about))
    row.book.waits = waits.filter((wait) => wait !== meant)
  }
  return waits.flatMap((wait) => (wait.call === null || row.book.waits.includes(wait) ? [] : [wait.call]))
}

/** Finds the call that a wait belongs to: the newest that fits, preferably one without a wait. */
function findCall({ book }: AgentRow, { on, tool, about }: Wait): string | null {
  if (on === IDLE || (on === null && tool === null)) return null
  const able = book.open
    .filter((call) => tool === null || (call.tool === tool && isCompatible(call.about, about)))
    .toReversed()
  const free = able.find(({ id }) => !book.waits.some((wait) => wait.call === id))
  const call = free ?? able[0] ?? (isReminded(on) ? book.open.at(-1) : undefined)
  return call?.id ?? null
}

const isSame = (one: Wait, other: Wait): boolean =>
  other.call === null
    ? one.call === null && one.on === other.on && one.tool === other.tool && one.about === other.about
    : one.call === other.call

const isReminded = (on: string | null): boolean => isReminder({ event: 'agent_wait', wait: on })

/** The wait does not say what it is for, so whatever the agent does next ends it. */
const isOpenEnded = (wait: Wait): boolean =>
  wait.call === null && wait.tool === null && !isIdle(wait) && wait.on !== 'elicitation'

const isFor = (wait: Wait, tool: string, about: string | null): boolean =>
  wait.tool === tool && isCompatible(wait.about, about)

const isCompatible = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one === other
