import { copySessions, receiverOf, type SessionCopy } from '@panoptes/engine/sources'
import { openTranscripts, spaceSchema, type Transcripts } from '@panoptes/engine/store'
import { orFail } from '../failure.ts'
import { ownTeller } from './home-id.ts'
import type { Log } from './log.ts'
import { wayOut } from './place.ts'
import type { SiteWish } from './site.ts'

/** The sessions that a hub stores from all computers, including its own. */
export interface HubSessions {
  readonly transcripts: Transcripts
  /** Starts to store what agents on this computer write. */
  readonly begin: () => void
  readonly end: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Returns nothing if the store is a file, because then sessions are read directly from the folders of the
 * agents.
 */
export async function hubSessionsOf(wish: SiteWish, { logger }: Log): Promise<HubSessions | undefined> {
  const { place, env } = wish
  if (place.kind !== 'postgres') return undefined
  const opened = await openTranscripts({ url: place.url, schema: spaceSchema(place.space) })
  const transcripts = orFail(opened, wayOut(place))
  let copy: SessionCopy | undefined
  return {
    transcripts,
    begin: () => {
      if (!wish.isOfHome || wish.onlyPosted) return
      copy = copySessions({
        env,
        receiver: receiverOf(transcripts, ownTeller(wish.paths)),
        problem: (reason) => logger.warn(`sessions of this computer: ${reason}`),
      })
      copy.follow()
    },
    end: async () => copy?.close(),
    close: () => transcripts.close(),
  }
}
