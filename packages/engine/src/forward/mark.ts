import type { Ledger } from '@panoptes/engine/ledger'
import { check, forwardRefusal, type NewEvent, type Result, success, timestamp } from '@panoptes/schema'
import { z } from 'zod'
import { hubUrl, nameOf } from './hub-url.ts'

/** How far a hub has the log of this computer, and what that took since the first event that was sent there. */
const mark = z.object({
  seq: z.int().min(0),
  events: z.int().default(0),
  bytes: z.int().default(0),
  compressed: z.int().default(0),
  /** Events that the hub did not take, each for itself. */
  refused: z.int().default(0),
  refused_why: forwardRefusal.nullable().default(null),
  /** Events that retention dropped before they were sent. */
  lost: z.int().default(0),
  lost_at: timestamp.nullable().default(null),
})
export type ForwardMark = z.output<typeof mark>

/** Each hub has its own: another address begins anew. */
const markName = (hub: URL): string => `forward:${nameOf(hub)}`

const markAt = (seq: number): ForwardMark => mark.parse({ seq })

type Marked = Pick<Ledger, 'append' | 'marks' | 'head'>

/** The mark as it was left; where there is none yet it is made: from now on, or from the oldest event that is there. */
export async function openMark(ledger: Marked, hub: URL, fromStart: boolean): Promise<Result<ForwardMark>> {
  const name = markName(hub)
  const kept = await ledger.marks([name])
  if (!kept.ok) return kept
  const known = check(mark, parsed(kept.value[name]))
  if (known.ok && !fromStart) return success(known.value)
  const head = await ledger.head()
  if (!head.ok) return head
  const made = markAt(fromStart ? head.value.first - 1 : head.value.last)
  const saved = await saveMark(ledger, hub, made)
  return saved.ok ? success(made) : saved
}

/** Lets the next start begin with the oldest event that is there. */
export const fromStart = (ledger: Marked, to: string): Promise<Result<ForwardMark>> =>
  openMark(ledger, hubUrl(to), true)

export const saveMark = (
  ledger: Pick<Ledger, 'append'>,
  hub: URL,
  value: ForwardMark,
  events: readonly NewEvent[] = [],
): Promise<Result<unknown>> => ledger.append(events, { [markName(hub)]: JSON.stringify(value) })

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
