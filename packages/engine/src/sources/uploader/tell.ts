import { hash } from 'node:crypto'
import { redactBeginning } from '@panoptes/engine/redact'
import type { Failure } from '@panoptes/schema'
import type { Listed, SessionSource } from '../port.ts'
import { fitting } from './fitting.ts'
import { Lines, type RecordType } from './lines.ts'
import { redactedAgent, redactedMessage, redactedSession } from './redacted.ts'
import type { Told } from './remembered.ts'

/** What the wire takes. */
const MOST_FINGERPRINT = 1_000
const MOST_ID = 1_000
const MOST_WORDS = 4_000

/** A fingerprint as it is told. */
export const toldFingerprint = (fingerprint: string): string =>
  fingerprint.length <= MOST_FINGERPRINT ? fingerprint : hash('sha256', fingerprint, 'base64url')

export const canBeTold = (id: string): boolean => id.length > 0 && id.length <= MOST_ID

/**
 * One session as lines, without the secrets in it; the answer says why it did not come to its end. What is as it was before is not told
 * again. The hashes of all that is told are added to `now`.
 */
export async function* tell(
  source: SessionSource,
  listed: Listed,
  { before, now }: { readonly before?: Told | undefined; readonly now: Told },
  signal: AbortSignal,
): AsyncGenerator<string, Failure | undefined> {
  const which = { source: source.name, id: listed.id, telling: now.telling }
  const lines = new Lines(which, before)
  const record = function* (type: RecordType, json: string): Generator<string> {
    const digest = hash('sha256', `${type} ${json}`, 'base64url')
    now.hashes.push(digest)
    yield* lines.add(type, json, digest)
  }
  const skipped = (place: string, reason: string): Generator<string> =>
    record(
      'skipped',
      JSON.stringify({
        place: redactBeginning(place, MOST_WORDS).text.slice(0, MOST_WORDS),
        reason: redactBeginning(reason, MOST_WORDS).text.slice(0, MOST_WORDS),
      }),
    )
  yield lines.line('begin', {
    fingerprint: toldFingerprint(listed.fingerprint),
    ...(listed.own !== undefined && { own: toldFingerprint(listed.own) }),
  })
  for await (const read of source.read(listed, signal)) {
    if (signal.aborted) return undefined
    if (read.kind === 'failed') return read.failure
    if (read.kind === 'message') {
      const { json, reason } = fitting(redactedMessage(read.message))
      yield* record('messages', json)
      if (reason !== undefined) yield* skipped(`${listed.place}:${read.message.id}`, reason)
    } else if (read.kind === 'skipped') yield* skipped(read.place, read.reason)
    else if (read.kind === 'agent')
      yield* record('agent', JSON.stringify({ agent: redactedAgent(read.agent) }))
    else {
      yield* lines.flushed()
      yield lines.line('end', { at: lines.at, session: redactedSession(read.session) })
    }
  }
  return undefined
}
