import { hostname } from 'node:os'
import { type LedgerPlace, openTranscripts, schemaOf } from '@panoptes/engine/ledger'
import { copySessions, receiverOf } from '@panoptes/engine/sources'
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
