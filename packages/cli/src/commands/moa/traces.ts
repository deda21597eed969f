import { MOST_SESSIONS } from '@panoptes/engine/moa'
import type { TracedSession, TraceRecord } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { columns, counted, size, tilde } from '../../terminal/words.ts'
import { dateTime, dollars, plain, printable } from '../sessions/words.ts'
import { shortId, timeText } from './words.ts'
import { type WrittenTraces, withTraces } from './written-traces.ts'

export interface TracesOptions {
  readonly turn?: string
  readonly limit: number
}

/** What was written down whole: the sessions, or the lines of one. They are read where they are. */
export const traces = (
  context: Context,
  session: string | undefined,
  options: TracesOptions,
): Promise<void> => withTraces(context, (written) => tell(context, written, session, options))

async function tell(
  { output }: Context,
  { kept, save_traces, isShown }: WrittenTraces,
  session: string | undefined,
  { turn, limit }: TracesOptions,
): Promise<void> {
  const { folder } = kept
  const where = folder === null ? 'the ledger' : tilde(folder)
  if (!save_traces) output.note(folder === null ? OFF_ON_HUB : OFF)
  if (session === undefined && turn === undefined) {
    const sessions = orFail(await kept.sessions())
    if (sessions.length >= MOST_SESSIONS)
      output.note('These are the newest; older ones can be named, or the beginning of their ids')
    output.answer(listed(sessions, where), { ok: true, trace_dir: folder, save_traces, sessions })
    return
  }
  const session_id =
    session === undefined
      ? (orFail(await kept.sessionOf(turn ?? '')) ?? noTurn(where, turn ?? ''))
      : named(orFail(await kept.sessions(session)), session, where).session_id
  const read = orFail(await kept.read({ session: session_id, turn, most: limit }))
  if (turn !== undefined && read.records.length === 0) noTurn(where, turn)
  const records = await isShown(read.records)
  const others = read.records.length - records.length
  if (read.older > 0) output.note(`${counted(read.older, 'older line')}; --limit shows more`)
  if (others > 0) output.note(`${counted(others, 'line')} of what people asked: theirs alone`)
  if (read.unreadable > 0) output.note(`${counted(read.unreadable, 'line')} could not be read`)
  output.answer(records.flatMap(lines), { ok: true, session_id, ...read, records })
}

const OFF = 'Turns are not written down: panoptes config set moa.save_traces true'
const OFF_ON_HUB = 'Turns are not written down: an admin of the space main can switch it on, on the page MoA'

function noTurn(where: string, turn: string): never {
  throw new CommandFailure(`Nothing of a turn ${turn} is written down in ${where}`, {
    code: 'not_found',
    next: 'See which turns there are: panoptes moa turns',
  })
}

const listed = (sessions: readonly TracedSession[], where: string): readonly string[] =>
  sessions.length === 0
    ? [`Nothing is written down in ${where}`]
    : columns(
        sessions.map((one) => [dateTime(one.modified_at), plain(one.session_id, 80), size(one.bytes)]),
        '',
      )

function named(sessions: readonly TracedSession[], asked: string, where: string): TracedSession {
  const fitting = sessions.filter(({ session_id }) => session_id.startsWith(asked))
  const [one, other] = sessions.some(({ session_id }) => session_id === asked)
    ? fitting.filter(({ session_id }) => session_id === asked)
    : fitting
  if (one === undefined)
    throw new CommandFailure(`Nothing of a session ${asked} is written down in ${where}`, {
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
