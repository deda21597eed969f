import { pause } from '@panoptes/engine/abortable'
import type { Sessions } from '@panoptes/engine/sessions'
import { copySessions, receiverOf } from '@panoptes/engine/sources'
import { type EventStore, openTranscripts, type StoreLocation, spaceSchema } from '@panoptes/engine/store'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Context } from '../context.ts'
import { orFail } from '../failure.ts'
import { ownTeller } from './home-id.ts'
import { wayOut } from './place.ts'

/**
 * In a database, sessions are read from uploaded transcripts. This uploads what local agents wrote since, as
 * a hub does.
 */
export async function bringSessions(
  place: StoreLocation,
  { env, paths }: Pick<Context, 'env' | 'paths'>,
): Promise<void> {
  if (place.kind !== 'postgres') return
  const opened = await openTranscripts({ url: place.url, schema: spaceSchema(place.space) })
  const transcripts = orFail(opened, wayOut(place))
  const copy = copySessions({ env, receiver: receiverOf(transcripts, ownTeller(paths)) })
  try {
    orFail(await copy.refresh())
  } finally {
    await copy.close()
    await transcripts.close()
  }
}

/**
 * If a hub leads the index, it soon reads the uploaded sessions itself, so this process stops waiting for the
 * lead after this time.
 */
const PATIENCE_MS = 2_000

/** Updates a shared index, unless a hub does so. */
export async function refreshShared(sessions: Sessions, store: EventStore): Promise<Result<null>> {
  const end = new AbortController()
  let read: Promise<Result<null>> | undefined
  const leading = store.lead(
    'index',
    async (signal) => {
      const unfollow = sessions.follow()
      read = sessions.refresh(signal)
      await read
      unfollow()
      end.abort()
    },
    end.signal,
  )
  await pause(PATIENCE_MS, end.signal)
  if (read === undefined) end.abort()
  await leading
  return read ?? success(null)
}
