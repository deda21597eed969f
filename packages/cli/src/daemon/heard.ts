import type { Paths } from '@panoptes/engine/home'
import { type Heard, NOTHING_HEARD, readHeard } from '@panoptes/engine/hooks'
import { type EventStore, openStore, type StoreLocation } from '@panoptes/engine/store'
import type { SourcesReply } from '@panoptes/schema'
import type { Context } from '../context.ts'
import { connect } from './client.ts'
import { withOwnMarks } from './own-marks.ts'
import { isMade, placeOfHome } from './place.ts'

/** Reads from the store which agents of this computer sent events by hooks. */
export async function heardIn(
  store: EventStore,
  place: StoreLocation | undefined,
  paths: Paths,
): Promise<Heard> {
  const [own, any] = await Promise.all([readHeard(withOwnMarks(store, place, paths)), readHeard(store)])
  return (agent, delivery) => own(agent, delivery) ?? any(agent, delivery)
}

/**
 * Reads the same from the running daemon, or from the store if none is running. A failed read proves nothing
 * about the hooks.
 */
export async function findHeard(context: Context): Promise<Heard> {
  try {
    const client = await connect(context.paths)
    if (client) {
      const { sources } = await client.json<SourcesReply>('/api/sources')
      return (agent, delivery) => sources.find(({ id }) => id === agent)?.hooks?.heard[delivery] ?? null
    }
    const place = await placeOfHome(context)
    const opened = isMade(place) ? await openStore(place) : undefined
    if (!opened?.ok) return NOTHING_HEARD
    try {
      return await heardIn(opened.value, place, context.paths)
    } finally {
      await opened.value.close()
    }
  } catch {
    return NOTHING_HEARD
  }
}
