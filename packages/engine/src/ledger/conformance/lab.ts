import type { Result } from '@panoptes/schema'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { Ledger } from '../port.ts'

/** What filling a ledger may take where everything else is busy too. */
const PATIENCE_MS = 180_000

/** How the suite gets at an engine. Nothing else of the engine is known to it. */
export interface LedgerLab<Place = unknown> {
  /** A new, empty ledger in a place of its own. */
  readonly open: () => Promise<Opened<Place>>
  /** The same ledger again, after it was closed. */
  readonly reopen: (place: Place) => Promise<Ledger>
  /** Removes everything; the ledger is closed by then. */
  readonly destroy: (place: Place) => Promise<void>
  /** A file name for a backup; the file does not exist yet. */
  readonly backupFile: (place: Place) => string
  /** A backup as a ledger of its own. */
  readonly restore: (file: string) => Promise<Ledger>
  /** Changes a projection behind the ledger's back, while it is closed; left out where an engine cannot. */
  readonly spoil?: (place: Place) => Promise<void>
}

interface Opened<Place = unknown> {
  readonly place: Place
  readonly ledger: Ledger
}

export interface Bench {
  readonly open: () => Promise<Opened>
  readonly reopen: (opened: Opened) => Promise<Opened>
  readonly restore: (file: string) => Promise<Ledger>
  readonly backupFile: (opened: Opened) => string
  readonly spoil: ((opened: Opened) => Promise<void>) | undefined
}

/** Opens ledgers for the tests of one `describe` and cleans up after each of them. */
export function useLab(lab: LedgerLab): Bench {
  const ledgers = new Set<Ledger>()
  const places = new Set<unknown>()

  afterEach(async () => {
    for (const ledger of ledgers) await ledger.close()
    for (const place of places) await lab.destroy(place)
    ledgers.clear()
    places.clear()
  })

  const keep = (ledger: Ledger): Ledger => {
    ledgers.add(ledger)
    return ledger
  }

  return {
    open: async () => {
      const opened = await lab.open()
      places.add(opened.place)
      keep(opened.ledger)
      return opened
    },
    reopen: async ({ place, ledger }) => {
      await ledger.close()
      return { place, ledger: keep(await lab.reopen(place)) }
    },
    restore: async (file) => keep(await lab.restore(file)),
    backupFile: ({ place }) => lab.backupFile(place),
    spoil: lab.spoil && (({ place }) => lab.spoil?.(place) ?? Promise.resolve()),
  }
}

/** One ledger for several statements that do not change one another: each begins with what it finds there. */
export function useOne(lab: LedgerLab, fill: (ledger: Ledger) => Promise<void>): () => Opened {
  let opened: Opened | undefined
  beforeAll(async () => {
    opened = await lab.open()
    await fill(opened.ledger)
  }, PATIENCE_MS)
  afterAll(async () => {
    await opened?.ledger.close()
    if (opened !== undefined) await lab.destroy(opened.place)
  }, PATIENCE_MS)
  return () => {
    if (opened === undefined) throw new Error('the ledger did not open')
    return opened
  }
}

/** The value of a success; a failure fails the test with its own words. */
export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.value
}
