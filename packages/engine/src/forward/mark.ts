import type { EventStore } from '@panoptes/engine/store'
import { check, forwardRefusal, type NewEvent, type Result, success, timestamp } from '@panoptes/schema'
import { z } from 'zod'
import { hubName, hubUrl } from './hub-url.ts'

/** Records how far a hub has the log of this computer, with totals since the first event sent there. */
const mark = z.object({
  seq: z.int().min(0),
  events: z.int().default(0),
  bytes: z.int().default(0),
  compressed: z.int().default(0),
  /** The number of single events that the hub refused. */
  refused: z.int().default(0),
  refused_why: forwardRefusal.nullable().default(null),
  /** The number of events that retention removed before they were sent. */
  lost: z.int().default(0),
  lost_at: timestamp.nullable().default(null),
})
export type ForwardMark = z.output<typeof mark>

/** Each hub has its own mark, so a new address starts over. */
const markName = (hub: URL): string => `forward:${hubName(hub)}`

const markAt = (seq: number): ForwardMark => mark.parse({ seq })

type Marked = Pick<EventStore, 'append' | 'marks' | 'head'>

/** Loads the mark, or creates it at the end of the log or, with `fromStart`, at the oldest event. */
export async function openMark(store: Marked, hub: URL, fromStart: boolean): Promise<Result<ForwardMark>> {
  const name = markName(hub)
  const stored = await store.marks([name])
  if (!stored.ok) return stored
  const current = check(mark, parsed(stored.value[name]))
  if (current.ok && !fromStart) return success(current.value)
  const head = await store.head()
  if (!head.ok) return head
  const made = markAt(fromStart ? head.value.first - 1 : head.value.last)
  const saved = await saveMark(store, hub, made)
  return saved.ok ? success(made) : saved
}

/** Makes the next start begin with the oldest stored event. */
export const restartMark = (store: Marked, to: string): Promise<Result<ForwardMark>> =>
  openMark(store, hubUrl(to), true)

export const saveMark = (
  store: Pick<EventStore, 'append'>,
  hub: URL,
  value: ForwardMark,
  events: readonly NewEvent[] = [],
): Promise<Result<unknown>> => store.append(events, { [markName(hub)]: JSON.stringify(value) })

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
