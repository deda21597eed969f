import type { Result } from '@panoptes/schema'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { EventStore } from '../port.ts'

/** The timeout for filling a store while the machine is busy. */
const PATIENCE_MS = 180_000

/** Tells the conformance suite how to get at an engine. The suite knows nothing else about the engine. */
export interface StoreLab<Place = unknown> {
  /** Creates a new, empty store in a place of its own. */
  readonly open: () => Promise<Opened<Place>>
  /** Opens the same store again after it was closed. */
  readonly reopen: (place: Place) => Promise<EventStore>
  /** Removes everything, after the store was closed. */
  readonly destroy: (place: Place) => Promise<void>
  /** Returns a file name for a backup. The file does not exist yet. */
  readonly backupFile: (place: Place) => string
  /** Opens a backup as a store of its own. */
  readonly restore: (file: string) => Promise<EventStore>
  /**
   * Changes a projection behind the store's back while it is closed. Engines that cannot do this leave it
   * out.
   */
  readonly spoil?: (place: Place) => Promise<void>
}

interface Opened<Place = unknown> {
  readonly place: Place
  readonly store: EventStore
}

export interface Bench {
  readonly open: () => Promise<Opened>
  readonly reopen: (opened: Opened) => Promise<Opened>
  readonly restore: (file: string) => Promise<EventStore>
  readonly backupFile: (opened: Opened) => string
  readonly spoil: ((opened: Opened) => Promise<void>) | undefined
}

/** Opens stores for the tests of one `describe` and cleans up after each test. */
export function useLab(lab: StoreLab): Bench {
  const stores = new Set<EventStore>()
  const places = new Set<unknown>()

  afterEach(async () => {
    for (const store of stores) await store.close()
    for (const place of places) await lab.destroy(place)
    stores.clear()
    places.clear()
  })

  const keep = (store: EventStore): EventStore => {
    stores.add(store)
    return store
  }

  return {
    open: async () => {
      const opened = await lab.open()
      places.add(opened.place)
      keep(opened.store)
      return opened
    },
    reopen: async ({ place, store }) => {
      await store.close()
      return { place, store: keep(await lab.reopen(place)) }
    },
    restore: async (file) => keep(await lab.restore(file)),
    backupFile: ({ place }) => lab.backupFile(place),
    spoil: lab.spoil && (({ place }) => lab.spoil?.(place) ?? Promise.resolve()),
  }
}

/** Shares one store between tests that do not affect each other: each starts with what it finds there. */
export function useOne(lab: StoreLab, fill: (store: EventStore) => Promise<void>): () => Opened {
  let opened: Opened | undefined
  beforeAll(async () => {
    opened = await lab.open()
    await fill(opened.store)
  }, PATIENCE_MS)
  afterAll(async () => {
    await opened?.store.close()
    if (opened !== undefined) await lab.destroy(opened.place)
  }, PATIENCE_MS)
  return () => {
    if (opened === undefined) throw new Error('the store did not open')
    return opened
  }
}

/** Returns the value of a success, and fails the test with the message of a failure. */
export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.value
}
