import { hostname } from 'node:os'
import { openTranscripts, schemaOf, type Transcripts } from '@panoptes/engine/ledger'
import { copySessions, receiverOf, type SessionCopy } from '@panoptes/engine/sources'
import { tellerOf } from '@panoptes/schema'
import { orFail } from '../failure.ts'
import { homeId } from './home-id.ts'
import type { Log } from './log.ts'
import { wayOut } from './place.ts'
import type { SiteWish } from './site.ts'

/** The sessions that a hub keeps of all computers, its own among them. */
export interface HubSessions {
  readonly transcripts: Transcripts
  /** From here on what agents of this computer leave is kept too. */
  readonly begin: () => void
  readonly end: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Nothing where the ledger is a file: there sessions are read where their agents leave them. */
export async function hubSessionsOf(wish: SiteWish, { logger }: Log): Promise<HubSessions | undefined> {
  const { place, env } = wish
  if (place.kind !== 'postgres') return undefined
  const opened = await openTranscripts({ url: place.url, schema: schemaOf(place.space) })
  const transcripts = orFail(opened, wayOut(place))
  let copy: SessionCopy | undefined
  return {
    transcripts,
    begin: () => {
      if (!wish.isOfHome || wish.onlyPosted) return
      copy = copySessions({
        env,
        // No home that is named over HTTP has a dot: nobody else tells of the hub's own.
        receiver: receiverOf(transcripts, tellerOf(hostname(), `hub.${homeId(wish.paths)}`)),
        problem: (reason) => logger.warn(`sessions of this computer: ${reason}`),
      })
      copy.follow()
    },
    end: async () => copy?.close(),
    close: () => transcripts.close(),
  }
}
