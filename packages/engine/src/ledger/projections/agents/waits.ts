import type { StoredEvent } from '@panoptes/schema'
import { isReminder } from '@panoptes/schema/reading'
import type { AgentRow, OpenCall, Wait } from './row.ts'

const IDLE = 'idle_prompt'
const MOST_WAITS = 16
const ABOUT = 80
/**
 * Nothing is told when a person says no in the terminal. The calls of one message begin together, so an agent that begins
 * another so long after it asked, with nothing else under way, has had its answer.
 */
const GOES_ON_MS = 10_000

export const isIdle = ({ on }: Wait): boolean => on === IDLE
export const saysIdle = (event: StoredEvent): boolean => event.wait === IDLE

/** Whether somebody has to decide something before it goes on. */
export const isAsking = (row: AgentRow): boolean => row.book.waits.some((wait) => !isIdle(wait))

/** The tool that a reminder speaks of: "Claude needs your permission to use Bash". */
export const toolIn = (reason: unknown): string | null =>
  typeof reason === 'string' ? (/\bto use ([\w-]+)/.exec(reason)?.[1] ?? null) : null

/** The beginning of a preview; null without one. */
export const aboutOf = (preview: unknown): string | null => textOf(preview)?.slice(0, ABOUT) ?? null

export function startWait(row: AgentRow, event: StoredEvent): void {
  if (isReminder(event) && isAsking(row)) return
  const wait: Wait = {
    on: textOf(event.wait),
    call: textOf(event.call),
    tool: textOf(event.tool) ?? (isReminder(event) ? toolIn(event.reason) : null),
    about: aboutOf(event.input_preview),
    reason: textOf(event.reason),
    ts: event.ts,
  }
  wait.call ??= callOf(row, wait)
  const { waits } = row.book
  const first = Math.min(...waits.filter((other) => isSame(other, wait)).map(sinceOf))
  const others = isIdle(wait)
    ? []
    : waits.filter((other) => !isIdle(other) && !isSame(other, wait)).slice(1 - MOST_WAITS)
  row.book.waits = [...others, first < wait.ts ? { ...wait, since: first } : wait]
}

const sinceOf = ({ ts, since }: Wait): number => since ?? ts

/** Since when somebody has been asked for without a break; what else the agent does meanwhile does not count. */
export const waitsSince = ({ book: { waits } }: AgentRow): number | null =>
  waits.length === 0 ? null : Math.min(...waits.map(sinceOf))

/** Requests may come by a quicker way than the rest: what happened before one was asked does not end it. */
export function endWaits(row: AgentRow, ts: number): void {
  if (row.book.waits.length > 0) row.book.waits = row.book.waits.filter((wait) => wait.ts > ts)
}

/** A call begins: a wait may be for it, and some waits are over by it. What was given up is answered. */
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

/** Somebody answered: what the answer names, or everything where it names nothing. The calls that waited for it are answered. */
export function answered(row: AgentRow, event: StoredEvent): readonly string[] {
  const on = textOf(event.wait)
  const tool = textOf(event.tool)
  const about = aboutOf(event.input_preview)
  const { waits } = row.book
  if (on !== null) row.book.waits = waits.filter((wait) => wait.on !== on && !isReminded(wait.on))
  else if (tool === null) row.book.waits = []
  else {
    const meant = waits.find((wait) => isFor(wait, tool, about))
    row.book.waits = waits.filter((wait) => wait !== meant)
  }
  return waits.flatMap((wait) => (wait.call === null || row.book.waits.includes(wait) ? [] : [wait.call]))
}

/** The call that a wait is for: the newest that fits, rather one that nothing waits for yet. */
function callOf({ book }: AgentRow, { on, tool, about }: Wait): string | null {
  if (on === IDLE || (on === null && tool === null)) return null
  const able = book.open
    .filter((call) => tool === null || (call.tool === tool && agree(call.about, about)))
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

/** It says nothing of what it is for: whatever the agent does next ends it. */
const isOpenEnded = (wait: Wait): boolean =>
  wait.call === null && wait.tool === null && !isIdle(wait) && wait.on !== 'elicitation'

const isFor = (wait: Wait, tool: string, about: string | null): boolean =>
  wait.tool === tool && agree(wait.about, about)

const agree = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one === other

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
