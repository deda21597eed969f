import { hash, randomUUID } from 'node:crypto'
import type { Failure } from '@panoptes/schema'
import type { Listed, SessionSource } from '../port.ts'
import { fitting } from './fitting.ts'
import { redactedAgent, redactedMessage, redactedSession } from './redacted.ts'

/** What stands in one line, in characters and in messages. */
const MOST_IN_LINE = 524_288
const MOST_MESSAGES = 500
/** What the wire takes. */
const MOST_FINGERPRINT = 1_000
const MOST_ID = 1_000
const MOST_WORDS = 4_000

/** A fingerprint as it is told. */
export const toldFingerprint = (fingerprint: string): string =>
  fingerprint.length <= MOST_FINGERPRINT ? fingerprint : hash('sha256', fingerprint, 'base64url')

export const canBeTold = (id: string): boolean => id.length > 0 && id.length <= MOST_ID

/** One session as lines, without the secrets in it; the answer says why it did not come to its end. */
export async function* tell(
  source: SessionSource,
  listed: Listed,
  signal: AbortSignal,
): AsyncGenerator<string, Failure | undefined> {
  const which = { source: source.name, id: listed.id, telling: randomUUID() }
  const told = JSON.stringify(which).slice(1, -1)
  let at = 0
  let messages: string[] = []
  let held = 0
  const line = (type: string, fields: object) => JSON.stringify({ type, ...which, ...fields })
  const flushed = function* (): Generator<string> {
    if (messages.length === 0) return
    yield `{"type":"messages",${told},"at":${at},"messages":[${messages.join(',')}]}`
    at += messages.length
    messages = []
    held = 0
  }
  const skipped = function* (place: string, reason: string): Generator<string> {
    yield line('skipped', { at, place: place.slice(0, MOST_WORDS), reason: reason.slice(0, MOST_WORDS) })
    at += 1
  }
  yield line('begin', {
    fingerprint: toldFingerprint(listed.fingerprint),
    ...(listed.own !== undefined && { own: toldFingerprint(listed.own) }),
  })
  for await (const record of source.read(listed, signal)) {
    if (signal.aborted) return undefined
    if (record.kind === 'failed') return record.failure
    if (record.kind === 'message') {
      const { json, reason } = fitting(redactedMessage(record.message))
      messages.push(json)
      held += json.length
      if (reason === undefined && held < MOST_IN_LINE && messages.length < MOST_MESSAGES) continue
      yield* flushed()
      if (reason !== undefined) yield* skipped(`${listed.place}:${record.message.id}`, reason)
      continue
    }
    yield* flushed()
    if (record.kind === 'skipped') yield* skipped(record.place, record.reason)
    else if (record.kind === 'agent') {
      yield line('agent', { at, agent: redactedAgent(record.agent) })
      at += 1
    } else yield line('end', { at, session: redactedSession(record.session) })
  }
  return undefined
}
