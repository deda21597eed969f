import type { ForwardProblem, ForwardStatus, HealthCheck } from '@panoptes/schema'
import type { Gauge } from '@panoptes/server'
import { count, duration, size } from '../terminal/words.ts'

const FORWARD = { id: 'forward', title: 'Sending to the hub' }
const FOR_A_PERSON: ReadonlySet<ForwardProblem['kind']> = new Set(['token', 'address', 'tls'])
/** So long it is worth a warning that something was lost. */
const WEEK_MS = 7 * 86_400_000

const SEND_AGAIN =
  'What was refused is still here: panoptes forward --to URL --from-start sends all of it again, and the hub takes what it lacks.'

/** How sending to the hub goes, as the doctor says it. */
export function forwardCheck(status: ForwardStatus, now: number): HealthCheck {
  const { to, problem, lost, lost_at, refused, refused_why: why, transcripts } = status
  const detail = [`${to}: ${waitingWords(status, now)}`, ...(refused > 0 ? [refusedWords(status)] : [])].join(
    ', ',
  )
  if (problem !== null)
    return {
      ...FORWARD,
      state: FOR_A_PERSON.has(problem.kind) ? 'failed' : 'warning',
      detail: `${detail}; nothing arrived for ${duration(now - problem.since)}`,
      cause: problem.message,
      next: problem.next,
    }
  if (lost > 0 && lost_at !== null && now - lost_at < WEEK_MS)
    return {
      ...FORWARD,
      state: 'warning',
      detail: `${detail}; ${count(lost)} events went before they could be sent`,
      cause: 'More waited than forward.max_waiting_mb allows.',
      next: 'The hub lacks them for good. For the next time, raise forward.max_waiting_mb in config.yaml.',
    }
  if (why !== null && why.next !== '' && now - why.at < WEEK_MS)
    return { ...FORWARD, state: 'warning', detail, cause: why.message, next: `${why.next} ${SEND_AGAIN}` }
  if (transcripts?.problem)
    return {
      ...FORWARD,
      state: 'warning',
      detail: `${detail}; ${count(transcripts.waiting)} sessions wait`,
      cause: transcripts.problem,
      next: 'Remove the cause; Panoptes tries again by itself.',
    }
  return { ...FORWARD, state: 'ok', detail, cause: null, next: null }
}

/** While nothing runs nothing is sent, and a hub never sends. */
export function unsentCheck(to: string, isHub: boolean): HealthCheck {
  const still = { ...FORWARD, state: 'warning' as const, detail: `${to}: nothing is sent` }
  return isHub
    ? {
        ...still,
        cause: 'The ledger of this home is a database, and a hub does not forward to another one.',
        next: 'Take forward.to out of config.yaml, or use another home for the agents of this computer.',
      }
    : { ...still, cause: 'Panoptes does not run here.', next: 'Start it with: panoptes up' }
}

/** What was refused for good, in words, and why the last of it was. */
export const refusedWords = ({ refused, refused_why: why }: ForwardStatus): string =>
  `${count(refused)} refused${why === null ? ' by the hub' : ` (the last: ${why.message})`}`

/** What waits, in words. */
export function waitingWords({ waiting }: Pick<ForwardStatus, 'waiting'>, now: number): string {
  if (waiting.events === 0) return 'nothing waits'
  const since =
    waiting.oldest_ts === null ? '' : `, the oldest for ${duration(Math.max(0, now - waiting.oldest_ts))}`
  const wait = waiting.events === 1 ? '1 event waits' : `${count(waiting.events)} events wait`
  return `${wait}, about ${size(waiting.bytes)}${since}`
}

/** The same for Prometheus. */
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
    gauge('waiting_events', 'Events that wait to be sent to the hub.', waiting.events),
    gauge('waiting_bytes', 'About how much that is.', waiting.bytes),
    gauge('oldest_seconds', 'The age of the oldest event that waits.', age),
    gauge('failing', 'Whether the hub did not take the last batch.', problem === null ? 0 : 1),
    counter('events', 'Events that the hub has.', sent.events),
    counter('bytes', 'What they came to.', sent.bytes),
    counter('compressed_bytes', 'What was sent for them.', sent.compressed_bytes),
    counter('retries', 'Batches that the hub did not take.', retries),
    counter('refused', 'Events that the hub refused for good.', refused),
    counter('lost', 'Events that went before they could be sent.', lost),
    ...(transcripts === null
      ? []
      : [
          gauge('waiting_sessions', 'Sessions that wait to be sent whole.', transcripts.waiting),
          counter('sessions', 'Sessions that were sent whole since the start.', transcripts.sent),
        ]),
  ]
}
