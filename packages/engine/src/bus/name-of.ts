import { randomBytes } from 'node:crypto'
import type { Ledger } from '@panoptes/engine/ledger'
import { pause } from '@panoptes/engine/waiting'
import type { Result } from '@panoptes/schema'

const ID = 'bus'
/** The tables that the name was made for: a copy of them in another place has the marks too. */
const STORE = 'bus-store'
const AGAIN_MS = 100

/** Asks which tables the ledger is in. */
export type Store = () => Promise<Result<string>>

interface Known {
  readonly store: string
  /** Undefined where there is none yet, or it is that of the tables this is a copy of. */
  readonly id: string | undefined
}

async function knownOf(ledger: Pick<Ledger, 'marks'>, store: Store): Promise<Known | undefined> {
  const [asked, known] = [await store(), await ledger.marks([ID, STORE])]
  if (!asked.ok || !known.ok) return undefined
  const isOurs = known.value[STORE] === asked.value
  return { store: asked.value, id: isOurs ? known.value[ID] : undefined }
}

/** Made once, by whoever leads the writing; the ledger keeps it. However long the database is away, until the signal. */
export async function makeId(
  ledger: Pick<Ledger, 'marks' | 'append'>,
  store: Store,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const known = await knownOf(ledger, store)
    if (known?.id !== undefined) return
    const marks = known && { [ID]: randomBytes(9).toString('hex'), [STORE]: known.store }
    if (marks && (await ledger.append([], marks)).ok) return
    await pause(AGAIN_MS, signal)
  }
}

/** By what the ledger is known on the bus, so that two teams that share one never meet. Undefined where the signal came first. */
export async function idOf(
  ledger: Pick<Ledger, 'marks'>,
  store: Store,
  signal: AbortSignal,
): Promise<string | undefined> {
  while (!signal.aborted) {
    const known = await knownOf(ledger, store)
    if (known?.id !== undefined) return known.id
    await pause(AGAIN_MS, signal)
  }
  return undefined
}
