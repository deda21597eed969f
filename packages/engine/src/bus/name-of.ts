import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Ledger } from '@panoptes/engine/ledger'

const MARK = 'bus'
const AGAIN_MS = 100

/** Made once, by whoever leads the writing; the ledger keeps it. */
export async function makeId(ledger: Ledger): Promise<void> {
  const known = await ledger.marks([MARK])
  if (known.ok && known.value[MARK] === undefined)
    await ledger.append([], { [MARK]: randomBytes(9).toString('hex') })
}

/** By what the ledger is known on the bus, so that two teams that share one never meet. Undefined where the signal came first. */
export async function idOf(ledger: Ledger, signal: AbortSignal): Promise<string | undefined> {
  while (!signal.aborted) {
    const known = await ledger.marks([MARK])
    if (known.ok && known.value[MARK] !== undefined) return known.value[MARK]
    await setTimeout(AGAIN_MS, undefined, { signal }).catch(() => undefined)
  }
  return undefined
}
