import { setTimeout } from 'node:timers/promises'
import { findDaemon } from '@panoptes/engine/home'
import { type EventStore, lockStore, openStore as open, type StoreLocation } from '@panoptes/engine/store'
import type { Result } from '@panoptes/schema'
import type { Context } from '../context.ts'
import { CommandFailure, orFail } from '../failure.ts'
import { type Client, connect } from './client.ts'
import { isMade, placeOfHome, wayOut } from './place.ts'

/**
 * Access to the store: through the running daemon, or directly if none is running. Only one process can use a
 * store in a file; many can use a database.
 */
export type Access =
  | { readonly kind: 'daemon'; readonly client: Client }
  | { readonly kind: 'file'; readonly store: EventStore; readonly place: StoreLocation }

export async function withStore<T>(context: Context, work: (access: Access) => Promise<T>): Promise<T> {
  const client = await connect(context.paths)
  if (client) return work({ kind: 'daemon', client })
  const place = await placeOfHome(context)
  if (!isMade(place)) throw noStore(context)
  const store = await openStore(context, place)
  try {
    return await work({ kind: 'file', store, place })
  } finally {
    await store.close()
  }
}

export const noStore = ({ paths }: Context): CommandFailure =>
  new CommandFailure(`There is no store at ${paths.store} yet`, {
    code: 'not_found',
    next: 'Panoptes creates it when it starts: panoptes up',
  })

const PATIENCE_MS = 5_000
const AGAIN_MS = 100

/** Opens the store and creates it if necessary. If another command holds the file, this waits for it. */
export const openStore = (context: Context, place: StoreLocation): Promise<EventStore> =>
  patiently(context, () => open(place), wayOut(place))

/** Locks the home for this process when no store exists and none needs to be created. */
export const lockHome = (context: Context): Promise<{ readonly release: () => void }> =>
  patiently(context, () => lockStore(context.paths.store))

async function patiently<T>(
  context: Context,
  open: () => Result<T> | Promise<Result<T>>,
  next?: string,
): Promise<T> {
  const patience = performance.now() + PATIENCE_MS
  for (;;) {
    const opened = await open()
    if (opened.ok || opened.code !== 'locked' || performance.now() > patience)
      return orFail(opened, (await lockedNext(context)) ?? next)
    await setTimeout(AGAIN_MS)
  }
}

async function lockedNext({ paths }: Context): Promise<string | undefined> {
  const daemon = await findDaemon(paths)
  if (daemon.state === 'unproven') return daemon.next
  if (daemon.state !== 'silent') return undefined
  return `Process ${daemon.info.pid} is running but does not answer. Find out why with: panoptes doctor`
}
