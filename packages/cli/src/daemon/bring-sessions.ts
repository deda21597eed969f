import { hostname } from 'node:os'
import { type Ledger, type LedgerPlace, openTranscripts, schemaOf } from '@panoptes/engine/ledger'
import type { Sessions } from '@panoptes/engine/sessions'
import { copySessions, receiverOf } from '@panoptes/engine/sources'
import { pause } from '@panoptes/engine/waiting'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { orFail } from '../failure.ts'
import { wayOut } from './place.ts'

/** In a database sessions are read beside the ledger: what agents of this computer left since is brought there first, as a hub does. */
export async function bringSessions(place: LedgerPlace, env: NodeJS.ProcessEnv): Promise<void> {
  if (place.kind !== 'postgres') return
  const opened = await openTranscripts({ url: place.url, schema: schemaOf(place.space) })
  const transcripts = orFail(opened, wayOut(place))
  const copy = copySessions({ env, receiver: receiverOf(transcripts, hostname()) })
  try {
    orFail(await copy.refresh())
  } finally {
    await copy.close()
    await transcripts.close()
  }
}

/** A hub that leads soon reads what was brought. */
const PATIENCE_MS = 2_000

/** Brings an index that many share up to date, unless a hub does. */
export async function refreshShared(sessions: Sessions, ledger: Ledger): Promise<Result<null>> {
  const end = new AbortController()
  let read: Promise<Result<null>> | undefined
  const leading = ledger.lead(
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
