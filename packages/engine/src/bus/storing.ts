import type { Ledger } from '@panoptes/engine/ledger'
import { pause } from '@panoptes/engine/waiting'
import type { Failure, NewEvent } from '@panoptes/schema'

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 3_000
/** An event that the ledger would not have so often, while it takes others, is a bad one. */
const TRIES = 3

export interface Storing {
  readonly ledger: Ledger
  readonly signal: AbortSignal
  readonly refuse: (event: NewEvent, why: Failure) => Promise<void>
  /** What is wrong now; null when it is over. */
  readonly problem: (text: string | null) => void
}

/** Stores all of them, however long the ledger is away; what it will never have is set aside. False where it was stopped. */
export async function store(events: readonly NewEvent[], storing: Storing): Promise<boolean> {
  const { ledger, signal, problem } = storing
  for (let wait = FIRST_WAIT_MS, tried = 1; !signal.aborted; tried += 1) {
    const stored = await ledger.append(events)
    if (stored.ok) {
      problem(null)
      return true
    }
    problem(stored.message)
    if (stored.code === 'closed') return false
    if (stored.code === 'io' && events.length > 1) return halves(events, storing)
    if (stored.code === 'io' && tried >= TRIES) {
      const [event] = events
      if (event !== undefined) await storing.refuse(event, stored)
      problem(null)
      return true
    }
    await pause(wait, signal)
    wait = Math.min(LONGEST_WAIT_MS, wait * 2)
  }
  return false
}

/** One of them may be bad: the others are stored without it, in their order. */
async function halves(events: readonly NewEvent[], storing: Storing): Promise<boolean> {
  const half = Math.ceil(events.length / 2)
  return (await store(events.slice(0, half), storing)) && (await store(events.slice(half), storing))
}
