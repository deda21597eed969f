import type { TranscriptReceiver } from '@panoptes/engine/sources'
import { failure, type Result, success, transcriptIndex, transcriptsReply } from '@panoptes/schema'
import { compressed } from './batch.ts'
import type { Answer, Hub } from './hub.ts'

/** Creates a receiver of whole sessions at a hub. `home` distinguishes computers that share a name. */
export function transcriptReceiver(hub: Hub, host: string, home: string): TranscriptReceiver {
  const of = (query: Readonly<Record<string, string>>) => new URLSearchParams({ ...query, host, home })
  return {
    known: async (source, signal) => {
      const path = `/api/transcripts/known?${of({ source })}`
      const answer = await hub.ask({ method: 'GET', path, reply: transcriptIndex }, signal)
      return answer.ok ? success(new Map(Object.entries(answer.value.known))) : failed(answer)
    },
    send: async (lines, signal) => {
      const body = { gzip: await compressed(lines), bytes: Buffer.byteLength(lines) }
      const path = `/api/transcripts?${of({})}`
      const answer = await hub.ask({ method: 'POST', path, reply: transcriptsReply, body }, signal)
      return answer.ok ? success(answer.value) : failed(answer)
    },
  }
}

const WRONG: ReadonlySet<string> = new Set(['invalid', 'too_large'])

function failed<T>(answer: Answer<unknown> & { readonly ok: false }): Result<T> {
  const { kind, message } = answer.trouble
  return failure(WRONG.has(kind) ? 'invalid' : 'busy', message)
}
