import { randomBytes } from 'node:crypto'
import type { Ledger } from '@panoptes/engine/ledger'
import { pause } from '@panoptes/engine/waiting'

const MARK = 'bus'
const AGAIN_MS = 100

/** Made once, by whoever leads the writing; the ledger keeps it. However long the database is away, until the signal. */
export async function makeId(ledger: Pick<Ledger, 'marks' | 'append'>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const known = await ledger.marks([MARK])
    if (known.ok && known.value[MARK] !== undefined) return
    const made = known.ok ? await ledger.append([], { [MARK]: randomBytes(9).toString('hex') }) : known
    if (made.ok) return
    await pause(AGAIN_MS, signal)
  }
}

/** By what the ledger is known on the bus, so that two teams that share one never meet. Undefined where the signal came first. */
export async function idOf(ledger: Pick<Ledger, 'marks'>, signal: AbortSignal): Promise<string | undefined> {
  while (!signal.aborted) {
    const known = await ledger.marks([MARK])
    if (known.ok && known.value[MARK] !== undefined) return known.value[MARK]
    await pause(AGAIN_MS, signal)
  }
  return undefined
}
