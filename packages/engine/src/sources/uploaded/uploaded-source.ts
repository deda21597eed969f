import type { StoredTranscript, Transcripts } from '@panoptes/engine/store'
import type { Listed, ListRecord, SessionRecord, SessionSource } from '../port.ts'

/** The sessions of one kind of agent, uploaded to a hub from all computers. */
export const storedSource = (transcripts: Transcripts, name: string): SessionSource => ({
  name,
  list: (signal) => listSessions(transcripts, name, signal),
  read: (listed, signal) => readSession(transcripts, name, listed, signal),
  find: async ({ id }, ids) => {
    const found = await transcripts.find(name, id, ids)
    return found.ok ? found.value : []
  },
  watch: (changed) =>
    transcripts.watch((source) => {
      if (source === undefined || source === name) changed()
    }),
})

async function* listSessions(
  transcripts: Transcripts,
  name: string,
  signal?: AbortSignal,
): AsyncGenerator<ListRecord> {
  if (signal?.aborted) return
  for await (const page of transcripts.list(name)) {
    if (signal?.aborted) return
    if (page.ok) for (const one of page.value) yield { kind: 'listed', ...toListed(one) }
    else yield { kind: 'failed', failure: page }
  }
}

/** The place of a session names its computer. */
const toListed = ({ id, fingerprint, own, host }: StoredTranscript): Listed => ({
  id,
  fingerprint,
  ...(own !== undefined && { own }),
  place: `hub:${host}#${id}`,
})

async function* readSession(
  transcripts: Transcripts,
  name: string,
  { id, fingerprint }: Listed,
  signal?: AbortSignal,
): AsyncGenerator<SessionRecord> {
  if (signal?.aborted) return
  for await (const page of transcripts.read(name, id)) {
    if (signal?.aborted) return
    if (!page.ok) {
      yield { kind: 'failed', failure: page }
      return
    }
    yield* page.value.records
    if (page.value.session) yield { kind: 'session', session: { ...page.value.session, fingerprint } }
  }
}
