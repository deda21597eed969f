import { findDaemon, isConfigPending } from '@panoptes/engine/home'
import type { BusStatus, ForwardStatus, FoundSource, StatusReply } from '@panoptes/schema'
import type { Context } from '../context.ts'
import { foundLines } from '../daemon/announce.ts'
import { connect } from '../daemon/client.ts'
import { refusedWords, waitingWords } from '../daemon/forward-checks.ts'
import { busWarning } from '../daemon/open-bus.ts'
import { EXIT } from '../exit-codes.ts'
import { CONFIG_PENDING, columns, count, counted, duration, size, tilde } from '../terminal/words.ts'

export async function status(context: Context): Promise<void> {
  const { paths, output } = context
  const client = await connect(paths)
  if (!client) return notRunning(context)
  const [now, { sources }] = await Promise.all([
    client.json<StatusReply>('/api/status'),
    client.json<{ sources: FoundSource[] }>('/api/sources'),
  ])
  const pending = await isConfigPending(paths)
  const { storage, counters, flow } = now
  const rows = [
    ['address', now.address],
    ['version', `${now.version} on Node ${now.node.replace(/^v/, '')}, process ${now.pid}`],
    ['running for', duration(now.now - now.started_at)],
    [
      'events',
      `${count(storage.events)} kept, ${count(counters.events)} in all, ${flow.events_per_second.toFixed(0)} a second now`,
    ],
    ['agents alive', count(now.alive)],
    ['ledger', `${size(storage.bytes)} in ${tilde(storage.path)}`],
  ]
  if (now.bus) rows.push(['bus', busWords(now.bus)])
  if (now.forward) rows.push(...forwardRows(now.forward, now.now))
  const busProblem = busWarning(now.bus)
  const lines = [
    `${output.paint.bold('Panoptes runs')}`,
    ...columns(rows),
    ...(now.forward?.problem ? problemLines(output, now.forward.problem) : []),
    ...(busProblem === null ? [] : [`${output.paint.gold('!')} ${busProblem}`]),
    ...(pending ? CONFIG_PENDING.map((line) => `${output.paint.gold('!')} ${line}`) : []),
    '',
    ...foundLines(output, sources),
  ]
  output.answer(lines, { ok: true, running: true, ...now, config_changed: pending, sources })
}

export function busWords({ where, taking, waiting, lag_ms }: BusStatus): string {
  const wait =
    waiting === 0
      ? 'nothing waits'
      : `${counted(waiting, 'message')} in it, the oldest for ${duration(lag_ms)}`
  return `${where}: ${taking ? `takes events, ${wait}` : 'takes nothing'}`
}

/** What is sent to a hub, and what of it waits. */
function forwardRows(forward: ForwardStatus, now: number): string[][] {
  const { sent } = forward
  const per = sent.events === 0 ? '' : `, ${Math.round(sent.compressed_bytes / sent.events)} bytes each`
  const unsent = [
    ...(forward.lost > 0 ? [`${count(forward.lost)} lost: more waited than forward.max_waiting_mb`] : []),
    ...(forward.refused > 0 ? [refusedWords(forward)] : []),
  ]
  return [
    ['sends to', `${forward.to} (${forward.what}): ${waitingWords(forward, now)}`],
    [
      'sent',
      `${count(sent.events)} events in ${size(sent.compressed_bytes)}${per}; ${sent.events_per_second.toFixed(0)} events and ${size(sent.bytes_per_second)} a second now`,
    ],
    ...(unsent.length > 0 ? [['not sent', unsent.join(', ')]] : []),
    ...(forward.transcripts
      ? [
          [
            'sessions',
            `${count(forward.transcripts.sent)} sent whole, ${count(forward.transcripts.waiting)} wait`,
          ],
        ]
      : []),
  ]
}

const problemLines = (output: Context['output'], { message, next }: { message: string; next: string }) => [
  `${output.paint.gold('!')} ${message}`,
  ...(next === '' ? [] : [`  ${next}`]),
]

async function notRunning({ paths, output }: Context): Promise<void> {
  const daemon = await findDaemon(paths)
  const why =
    daemon.state === 'silent'
      ? `Process ${daemon.info.pid} is there and does not answer at ${daemon.info.address}`
      : daemon.state === 'foreign'
        ? `Panoptes is not running; ${daemon.info.address} answers for another home`
        : 'Panoptes is not running'
  const next = daemon.state === 'silent' ? 'Look with: panoptes doctor' : 'Start it with: panoptes up'
  process.exitCode = EXIT.notRunning
  output.answer([why, next], { ok: true, running: false, state: daemon.state, home: paths.home, next })
}
