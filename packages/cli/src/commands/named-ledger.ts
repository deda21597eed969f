import type { Context } from '../context.ts'
import { type Access, openLedger, withLedger } from '../daemon/access.ts'
import { orNoSpace, spaceOf } from './migrate/space.ts'

export interface NamedLedger {
  readonly ledger?: string | undefined
  readonly space?: string | undefined
}

/** Of the running Panoptes, or of the ledger itself; one that is named is asked itself. */
export async function withNamedLedger<T>(
  context: Context,
  { ledger: address, space }: NamedLedger,
  work: (access: Access) => Promise<T>,
): Promise<T> {
  if (address === undefined && space === undefined) return withLedger(context, work)
  const place = await spaceOf(context, { address, space })
  if (place === null) return withLedger(context, work)
  await orNoSpace(place)
  const named = { kind: 'postgres', ...place } as const
  const ledger = await openLedger(context, named)
  try {
    return await work({ kind: 'file', ledger, place: named })
  } finally {
    await ledger.close()
  }
}
