import type { ForwardProblem, ForwardStatus, HealthCheck } from '@panoptes/schema'
import type { Gauge } from '@panoptes/server'
import { count, duration, plural, size } from '../terminal/format.ts'

const FORWARD = { id: 'forward', title: 'Forwarding to the hub' }
const FOR_A_PERSON: ReadonlySet<ForwardProblem['kind']> = new Set(['token', 'address', 'tls'])
/** Lost and refused events cause a warning for this long. */
const WEEK_MS = 7 * 86_400_000

const SEND_AGAIN =
  'Refused events stay in the local store. To send everything again: panoptes forward --to URL --from-start'

/** Describes forwarding as a check for `panoptes doctor`. */
export function forwardCheck(status: ForwardStatus, now: number): HealthCheck {
  const { to, problem, lost, lost_at, refused, refused_why: why, transcripts } = status
  const detail = [`${to}: ${waitingWords(status, now)}`, ...(refused > 0 ? [refusedWords(status)] : [])].join(
    ', ',
  )
  if (problem !== null)
    return {
      ...FORWARD,
      state: FOR_A_PERSON.has(problem.kind) ? 'failed' : 'warning',
      detail: `${detail}; nothing was delivered for ${duration(now - problem.since)}`,
      cause: problem.message,
      next: problem.next,
    }
  if (lost > 0 && lost_at !== null && now - lost_at < WEEK_MS)
    return {
      ...FORWARD,
      state: 'warning',
      detail: `${detail}; ${plural(lost, 'event')} ${lost === 1 ? 'was' : 'were'} dropped before they could be sent`,
      cause: 'The queue exceeded forward.max_waiting_mb.',
      next: 'The hub will never get them. To avoid this, raise forward.max_waiting_mb in config.yaml.',
    }
  if (why !== null && why.next !== '' && now - why.at < WEEK_MS)
    return { ...FORWARD, state: 'warning', detail, cause: why.message, next: `${why.next} ${SEND_AGAIN}` }
  if (transcripts?.problem)
    return {
      ...FORWARD,
      state: 'warning',
      detail: `${detail}; ${plural(transcripts.waiting, 'session')} ${transcripts.waiting === 1 ? 'is' : 'are'} waiting`,
      cause: transcripts.problem,
      next: 'Fix the cause; Panoptes retries automatically.',
    }
  return { ...FORWARD, state: 'ok', detail, cause: null, next: null }
}

/** Without a running Panoptes nothing is forwarded, and a hub never forwards. */
export function unsentCheck(to: string, isHub: boolean): HealthCheck {
  const still = { ...FORWARD, state: 'warning' as const, detail: `${to}: nothing is sent` }
  return isHub
    ? {
        ...still,
        cause: 'The store of this home is a database, and a hub cannot forward to another hub.',
        next: 'Remove forward.to from config.yaml, or use another home for the agents of this computer.',
      }
    : { ...still, cause: 'Panoptes is not running here.', next: 'Start it with: panoptes up' }
}

/** Describes how many events were refused for good, and the latest reason. */
export const refusedWords = ({ refused, refused_why: why }: ForwardStatus): string =>
  `${count(refused)} refused${why === null ? ' by the hub' : ` (the last: ${why.message})`}`

/** Describes how many events wait and for how long. */
export function waitingWords({ waiting }: Pick<ForwardStatus, 'waiting'>, now: number): string {
  if (waiting.events === 0) return 'nothing is waiting'
  const since =
    waiting.oldest_ts === null ? '' : `, the oldest for ${duration(Math.max(0, now - waiting.oldest_ts))}`
  const wait = waiting.events === 1 ? '1 event is waiting' : `${count(waiting.events)} events are waiting`
  return `${wait}, about ${size(waiting.bytes)}${since}`
}

/** Exports the same numbers as Prometheus gauges. */
export function forwardGauges(status: ForwardStatus, now: number): readonly Gauge[] {
  const { waiting, sent, retries, refused, lost, problem, transcripts } = status
  const gauge = (name: string, help: string, value: number): Gauge => ({
    name: `panoptes_forward_${name}`,
    help,
    value,
  })
  const counter = (name: string, help: string, value: number): Gauge => ({
    ...gauge(`${name}_total`, help, value),
    type: 'counter',
  })
  const age = waiting.oldest_ts === null ? 0 : Math.max(0, now - waiting.oldest_ts) / 1_000
  return [
    gauge('waiting_events', 'Events waiting to be sent to the hub.', waiting.events),
    gauge('waiting_bytes', 'Approximate size of the waiting events.', waiting.bytes),
    gauge('oldest_seconds', 'Age of the oldest waiting event.', age),
    gauge('failing', '1 if the hub did not accept the last batch.', problem === null ? 0 : 1),
    counter('events', 'Events delivered to the hub.', sent.events),
    counter('bytes', 'Uncompressed size of the delivered events.', sent.bytes),
    counter('compressed_bytes', 'Compressed bytes sent for them.', sent.compressed_bytes),
    counter('retries', 'Batches that the hub did not accept.', retries),
    counter('refused', 'Events that the hub rejected permanently.', refused),
    counter('lost', 'Events dropped before they could be sent.', lost),
    ...(transcripts === null
      ? []
      : [
          gauge('waiting_sessions', 'Transcripts waiting to be sent.', transcripts.waiting),
          counter('sessions', 'Transcripts sent since Panoptes started.', transcripts.sent),
        ]),
  ]
}
