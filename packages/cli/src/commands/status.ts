import { type DaemonState, findDaemon, isConfigPending } from '@panoptes/engine/home'
import type { BusStatus, ForwardStatus, FoundSource, StatusReply } from '@panoptes/schema'
import type { Context } from '../context.ts'
import { foundLines } from '../daemon/announce.ts'
import { type Client, connect } from '../daemon/client.ts'
import { refusedWords, waitingWords } from '../daemon/forward-checks.ts'
import { busWarning } from '../daemon/open-bus.ts'
import { CommandFailure, EXIT } from '../failure.ts'
import { CONFIG_PENDING, columns, count, duration, plural, shortenPath, size } from '../terminal/format.ts'

export async function status(context: Context): Promise<void> {
  const { paths, output } = context
  const client = await connect(paths)
  if (!client) return printNotRunning(context)
  const [now, { sources }, notReady] = await Promise.all([
    client.json<StatusReply>('/api/status'),
    client.json<{ sources: FoundSource[] }>('/api/sources'),
    readinessProblem(client),
  ])
  const pending = await isConfigPending(paths)
  const { storage, counters, flow } = now
  const rows = [
    ['address', now.address],
    ['version', `${now.version} on Node ${now.node.replace(/^v/, '')}, process ${now.pid}`],
    ['uptime', duration(now.now - now.started_at)],
    [
      'events',
      `${count(storage.events)} stored, ${count(counters.events)} in total, ${flow.events_per_second.toFixed(0)} per second now`,
    ],
    ['running agents', count(now.alive)],
    ['store', `${size(storage.bytes)} in ${shortenPath(storage.path)}`],
  ]
  if (now.bus) rows.push(['bus', busWords(now.bus)])
  if (now.forward) rows.push(...forwardRows(now.forward, now.now))
  const busProblem = busWarning(now.bus)
  const lines = [
    `${output.paint.bold(notReady === null ? 'Panoptes is running' : 'Panoptes is running but cannot store events')}`,
    ...(notReady === null ? [] : problemLines(output, notReady)),
    ...columns(rows),
    ...(now.forward?.problem ? problemLines(output, now.forward.problem) : []),
    ...(busProblem === null ? [] : [`${output.paint.gold('!')} ${busProblem}`]),
    ...(pending ? CONFIG_PENDING.map((line) => `${output.paint.gold('!')} ${line}`) : []),
    '',
    ...foundLines(output, sources),
  ]
  output.answer(lines, {
    ok: true,
    running: true,
    ready: notReady === null,
    not_ready: notReady,
    ...now,
    config_changed: pending,
    sources,
  })
}

/** The reason from `/ready` why a running Panoptes cannot store events, or null if it can. */
async function readinessProblem(client: Client): Promise<{ message: string; next: string } | null> {
  try {
    await client.request('/ready')
    return null
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.code !== 'not_ready') throw error
    return { message: error.message, next: error.next ?? '' }
  }
}

export function busWords({ where, taking, waiting, lag_ms }: BusStatus): string {
  const wait =
    waiting === 0
      ? 'nothing is waiting'
      : `${plural(waiting, 'message')} waiting, the oldest for ${duration(lag_ms)}`
  return `${where}: ${taking ? `accepts events, ${wait}` : 'does not accept events'}`
}

/** Describes forwarding: sent and waiting events. */
export function forwardRows(forward: ForwardStatus, now: number): string[][] {
  const { sent } = forward
  const per = sent.events === 0 ? '' : `, ${Math.round(sent.compressed_bytes / sent.events)} bytes each`
  const unsent = [
    ...(forward.lost > 0 ? [`${count(forward.lost)} lost: the queue exceeded forward.max_waiting_mb`] : []),
    ...(forward.refused > 0 ? [refusedWords(forward)] : []),
  ]
  return [
    ['forwards to', `${forward.to} (${forward.what}): ${waitingWords(forward, now)}`],
    [
      'sent',
      `${plural(sent.events, 'event')} in ${size(sent.compressed_bytes)}${per}; ${plural(Math.round(sent.events_per_second), 'event')} and ${size(sent.bytes_per_second)} per second now`,
    ],
    ...(unsent.length > 0 ? [['not sent', unsent.join(', ')]] : []),
    ...(forward.transcripts
      ? [
          [
            'sessions',
            `${plural(forward.transcripts.sent, 'transcript')} sent, ${count(forward.transcripts.waiting)} waiting`,
          ],
        ]
      : []),
  ]
}

const problemLines = (output: Context['output'], { message, next }: { message: string; next: string }) => [
  `${output.paint.gold('!')} ${message}`,
  ...(next === '' ? [] : [`  ${next}`]),
]

async function printNotRunning({ paths, output }: Context): Promise<void> {
  const daemon = await findDaemon(paths)
  const [why, next] = describeAbsence(daemon)
  process.exitCode = EXIT.notRunning
  output.answer([why, next], { ok: true, running: false, state: daemon.state, home: paths.home, next })
}

/** Explains why Panoptes cannot be reached, and what to do. */
function describeAbsence(daemon: DaemonState): readonly [why: string, next: string] {
  const start = 'Start it with: panoptes up'
  switch (daemon.state) {
    case 'silent': {
      const { pid, address } = daemon.info
      return [`Process ${pid} does not answer at ${address}`, 'Find out why with: panoptes doctor']
    }
    case 'unproven':
      return [daemon.message, daemon.next]
    case 'foreign':
      return [`Panoptes is not running; ${daemon.info.address} serves another home`, start]
    default:
      return ['Panoptes is not running', start]
  }
}
