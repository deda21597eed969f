import { MOST_SESSIONS, readTraces, sessionOfTurn, tracedSessions } from '@panoptes/engine/moa'
import type { PresetsReply, TracedSession, TraceRecord } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { connect } from '../../daemon/client.ts'
import { tracesIn } from '../../daemon/moa-checks.ts'
import { CommandFailure } from '../../failure.ts'
import { columns, counted, size, tilde } from '../../terminal/words.ts'
import { loadConfig } from '../config.ts'
import { dateTime, dollars, plain, printable } from '../sessions/words.ts'
import { shortId, timeText } from './words.ts'

export interface TracesOptions {
  readonly turn?: string
  readonly limit: number
}

/** What was written down whole: the sessions, or the lines of one. They are read where they lie. */
export async function traces(
  context: Context,
  session: string | undefined,
  options: TracesOptions,
): Promise<void> {
  const { trace_dir: folder, save_traces } = await place(context)
  if (!save_traces)
    context.output.note('Turns are not written down: panoptes config set moa.save_traces true')
  const { turn } = options
  if (session === undefined && turn === undefined) {
    const sessions = await tracedSessions(folder)
    if (sessions.length >= MOST_SESSIONS)
      context.output.note('These are the newest; older ones can be named, or the beginning of their ids')
    const document = { ok: true, trace_dir: folder, save_traces, sessions }
    context.output.answer(listed(sessions, folder), document)
    return
  }
  const session_id =
    session === undefined
      ? await ofTurn(folder, turn ?? '')
      : named(await tracedSessions(folder, session), session, folder).session_id
  const read = await readTraces({ folder, session: session_id, turn, most: options.limit })
  if (turn !== undefined && read.records.length === 0) throw noTurn(folder, turn)
  if (read.older > 0) context.output.note(`${counted(read.older, 'older line')}; --limit shows more`)
  if (read.unreadable > 0) context.output.note(`${counted(read.unreadable, 'line')} could not be read`)
  context.output.answer(read.records.flatMap(lines), { ok: true, session_id, ...read })
}

/** Where the daemon writes: its environment may be another one. Without it, what holds here. */
async function place(context: Context): Promise<Pick<PresetsReply, 'trace_dir' | 'save_traces'>> {
  const client = await connect(context.paths)
  if (client) return client.json<PresetsReply>('/api/moa/presets')
  const { config } = await loadConfig(context)
  const { trace_dir } = config.moa
  const unset = /\$\{?([A-Za-z_]\w*)/.exec(tracesIn({ ...context, config }))?.[1]
  if (trace_dir !== null && unset !== undefined)
    context.output.note(`moa.trace_dir is ${plain(trace_dir, 200)}, and ${unset} is not set here`)
  return { trace_dir: tracesIn({ ...context, config }), save_traces: config.moa.save_traces }
}

async function ofTurn(folder: string, turn: string): Promise<string> {
  const session = await sessionOfTurn(folder, turn)
  if (session === undefined) throw noTurn(folder, turn)
  return session
}

const noTurn = (folder: string, turn: string): Error =>
  new CommandFailure(`Nothing of a turn ${turn} is written down in ${folder}`, {
    code: 'not_found',
    next: 'See which turns there are: panoptes moa turns',
  })

const listed = (sessions: readonly TracedSession[], folder: string): readonly string[] =>
  sessions.length === 0
    ? [`Nothing is written down in ${tilde(folder)}`]
    : columns(
        sessions.map((one) => [dateTime(one.modified_at), plain(one.session_id, 80), size(one.bytes)]),
        '',
      )

function named(sessions: readonly TracedSession[], asked: string, folder: string): TracedSession {
  const fitting = sessions.filter(({ session_id }) => session_id.startsWith(asked))
  const [one, other] = sessions.some(({ session_id }) => session_id === asked)
    ? fitting.filter(({ session_id }) => session_id === asked)
    : fitting
  if (one === undefined)
    throw new CommandFailure(`Nothing of a session ${asked} is written down in ${folder}`, {
      code: 'not_found',
      next: 'See which there are: panoptes moa traces',
    })
  if (other === undefined) return one
  const names = fitting.slice(0, 5).map(({ session_id }) => plain(session_id, 80))
  throw new CommandFailure(`${asked} is the beginning of ${fitting.length} sessions`, {
    code: 'usage',
    next: `Give more of it: ${names.join(', ')}`,
  })
}

const FOLDED = 3

function lines({ ts, turn_id, iteration, status, preset, references, aggregator }: TraceRecord): string[] {
  const said = (output: string | null, calls: readonly unknown[] = []) => {
    const all = output === null || output === '' ? [] : printable(output)
    const shown = all.slice(0, FOLDED).map((line) => `      ${plain(line, 160)}`)
    const more = all.length > FOLDED ? [`      … ${counted(all.length - FOLDED, 'more line')} (--json)`] : []
    return [...shown, ...more, ...(calls.length > 0 ? [`      ${counted(calls.length, 'tool call')}`] : [])]
  }
  const slot = (one: TraceRecord['aggregator'] | TraceRecord['references'][number], mark: string) =>
    `  ${mark} ${plain(one.label, 100)} · ${timeText(one.ended_at === null ? null : one.ended_at - one.started_at)} · ${
      one.cost_usd === null ? '–' : dollars(Math.round(one.cost_usd * 1_000_000))
    }${one.error ? ` · ${one.error}` : ''}`
  return [
    `${dateTime(ts * 1_000)}  turn ${shortId(turn_id)}, call ${iteration}, ${plain(preset, 40)}, ${status}`,
    ...references.flatMap((one) => [slot(one, '→'), ...said(one.output)]),
    slot(aggregator, '='),
    ...said(aggregator.output, aggregator.tool_calls),
  ]
}
