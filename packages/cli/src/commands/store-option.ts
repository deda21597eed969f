import type { Context } from '../context.ts'
import { type Access, openStore, withStore } from '../daemon/access.ts'
import { requireSpace, resolveSpace } from './migrate/space.ts'

export interface StoreOptions {
  readonly store?: string | undefined
  readonly space?: string | undefined
}

/** Uses the running Panoptes or the local store. A store named with options is opened directly. */
export async function withNamedStore<T>(
  context: Context,
  { store: address, space }: StoreOptions,
  work: (access: Access) => Promise<T>,
): Promise<T> {
  if (address === undefined && space === undefined) return withStore(context, work)
  const place = await resolveSpace(context, { address, space })
  if (place === null) return withStore(context, work)
  await requireSpace(place)
  const named = { kind: 'postgres', ...place } as const
  const store = await openStore(context, named)
  try {
    return await work({ kind: 'file', store, place: named })
  } finally {
    await store.close()
  }
}
