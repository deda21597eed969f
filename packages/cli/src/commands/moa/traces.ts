import { ownerOfHome } from '@panoptes/engine/home'
import { createFileTraces, MOST_SESSIONS, type TraceStore } from '@panoptes/engine/moa'
import type { EventStore } from '@panoptes/engine/store'
import type { Config, PresetsReply, TracedSession, TraceRecord } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { openStore } from '../../daemon/access.ts'
import { connect } from '../../daemon/client.ts'
import { tracesIn, tracesOf } from '../../daemon/moa-checks.ts'
import { placeOf } from '../../daemon/place.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { columns, plural, shortenPath, size } from '../../terminal/format.ts'
import { loadConfig } from '../config.ts'
import { dateTime, dollars, plain, printable } from '../sessions/format.ts'
import { openSharedSettings } from './access.ts'
import { shortId, timeText } from './format.ts'

export interface TracesOptions {
  readonly turn?: string
  readonly limit: number
}

/** Lists sessions with traces, or the traces of one session. */
export const traces = (
  context: Context,
  session: string | undefined,
  options: TracesOptions,
): Promise<void> => withTraces(context, (written) => showTraces(context, written, session, options))

async function showTraces(
  { output }: Context,
  { traceStore, save_traces, isShown }: WrittenTraces,
  session: string | undefined,
  { turn, limit }: TracesOptions,
): Promise<void> {
  const { folder } = traceStore
  const where = folder === null ? 'the store' : shortenPath(folder)
  if (!save_traces) output.note(folder === null ? OFF_ON_HUB : OFF)
  if (session === undefined && turn === undefined) {
    const sessions = orFail(await traceStore.sessions())
    if (sessions.length >= MOST_SESSIONS)
      output.note('These are the newest. To see an older one, pass its id or an id prefix')
    output.answer(sessionLines(sessions, where), { ok: true, trace_dir: folder, save_traces, sessions })
    return
  }
  const session_id =
    session === undefined
      ? (orFail(await traceStore.findSession(turn ?? '')) ?? noTurn(where, turn ?? ''))
      : findSession(orFail(await traceStore.sessions(session)), session, where).session_id
  const read = orFail(await traceStore.read({ session: session_id, turn, most: limit }))
  if (turn !== undefined && read.records.length === 0) noTurn(where, turn)
  const records = await isShown(read.records)
  const others = read.records.length - records.length
  if (read.older > 0) output.note(`${plural(read.older, 'older line')}; --limit shows more`)
  if (others > 0) output.note(`${plural(others, 'line')} hidden: private to the people who asked`)
  if (read.unreadable > 0) output.note(`${plural(read.unreadable, 'line')} could not be read`)
  output.answer(records.flatMap(lines), { ok: true, session_id, ...read, records })
}

const OFF = 'Traces are not saved. Turn them on with: panoptes config set moa.save_traces true'
const OFF_ON_HUB =
  'Traces are not saved. An admin of the space main can turn them on with the switch on the MoA page'

function noTurn(where: string, turn: string): never {
  throw new CommandFailure(`No trace of turn ${turn} in ${where}`, {
    code: 'not_found',
    next: 'List turns: panoptes moa turns',
  })
}

const sessionLines = (sessions: readonly TracedSession[], where: string): readonly string[] =>
  sessions.length === 0
    ? [`No traces in ${where}`]
    : columns(
        sessions.map((one) => [dateTime(one.modified_at), plain(one.session_id, 80), size(one.bytes)]),
        '',
      )

function findSession(sessions: readonly TracedSession[], prefix: string, where: string): TracedSession {
  const fitting = sessions.filter(({ session_id }) => session_id.startsWith(prefix))
  const [one, other] = sessions.some(({ session_id }) => session_id === prefix)
    ? fitting.filter(({ session_id }) => session_id === prefix)
    : fitting
  if (one === undefined)
    throw new CommandFailure(`No trace of session ${prefix} in ${where}`, {
      code: 'not_found',
      next: 'List traces: panoptes moa traces',
    })
  if (other === undefined) return one
  const names = fitting.slice(0, 5).map(({ session_id }) => plain(session_id, 80))
  throw new CommandFailure(`${prefix} matches ${fitting.length} sessions`, {
    code: 'usage',
    next: `Use a longer id: ${names.join(', ')}`,
  })
}

const FOLDED = 3

function lines({ ts, turn_id, iteration, status, preset, references, aggregator }: TraceRecord): string[] {
  const outputLines = (output: string | null, calls: readonly unknown[] = []) => {
    const all = output === null || output === '' ? [] : printable(output)
    const shown = all.slice(0, FOLDED).map((line) => `      ${plain(line, 160)}`)
    const more = all.length > FOLDED ? [`      … ${plural(all.length - FOLDED, 'more line')} (--json)`] : []
    return [...shown, ...more, ...(calls.length > 0 ? [`      ${plural(calls.length, 'tool call')}`] : [])]
  }
  const slot = (one: TraceRecord['aggregator'] | TraceRecord['references'][number], mark: string) =>
    `  ${mark} ${plain(one.label, 100)} · ${timeText(one.ended_at === null ? null : one.ended_at - one.started_at)} · ${
      one.cost_usd === null ? '–' : dollars(Math.round(one.cost_usd * 1_000_000))
    }${one.error ? ` · ${one.error}` : ''}`
  return [
    `${dateTime(ts * 1_000)}  turn ${shortId(turn_id)}, call ${iteration}, ${plain(preset, 40)}, ${status}`,
    ...references.flatMap((one) => [slot(one, '→'), ...outputLines(one.output)]),
    slot(aggregator, '='),
    ...outputLines(aggregator.output, aggregator.tool_calls),
  ]
}

interface WrittenTraces {
  readonly traceStore: TraceStore
  readonly save_traces: boolean
  /** Filters to the records that the user of this computer may read. */
  readonly isShown: (records: readonly TraceRecord[]) => Promise<readonly TraceRecord[]>
}

/** The trace folder of the daemon, whose environment may differ, or of this process if none is running. */
async function withTraces<T>(context: Context, work: (written: WrittenTraces) => Promise<T>): Promise<T> {
  const { config } = await loadConfig(context)
  const client = await connect(context.paths)
  const presets = await client?.json<PresetsReply>('/api/moa/presets')
  // The daemon answers a run before it writes the trace, but lists turns only after all traces are written.
  await client?.json('/api/moa/turns?limit=1')
  const place = placeOf(context, config)
  if (presets ? presets.trace_dir !== null : place.kind === 'sqlite') {
    const folder = presets?.trace_dir ?? traceFolder(context, config)
    const traceStore = createFileTraces({ folder, maxBytes: config.moa.trace_max_mb })
    const save_traces = presets?.save_traces ?? config.moa.save_traces
    return work({ traceStore, save_traces, isShown: async (records) => records })
  }
  if (place.kind === 'sqlite') throw noTeamDatabase()
  const store = await openStore(context, place)
  try {
    const save_traces = presets?.save_traces ?? (await readTeamSetting(place)) ?? config.moa.save_traces
    const kept = tracesOf({ ...context, config }, store.traces)
    return await work({
      traceStore: kept,
      save_traces,
      isShown: (records) => selectOwnTraces(store, records),
    })
  } finally {
    await store.close()
  }
}

/** Null if the team has not set it. */
async function readTeamSetting(place: Parameters<typeof openSharedSettings>[0]): Promise<boolean | null> {
  const { settings, close } = await openSharedSettings(place)
  const saves = settings.savesTraces()
  await close()
  return saves
}

/** Traces are private to the person who asked. The user of a hub's computer counts as a separate person. */
async function selectOwnTraces(
  { turns }: Pick<EventStore, 'turns'>,
  records: readonly TraceRecord[],
): Promise<readonly TraceRecord[]> {
  const ofOthers = new Set<string>()
  for (const id of new Set(records.map(({ turn_id }) => turn_id))) {
    const turn = await turns.get(id)
    // The owner of a missing turn is unknown.
    const owner = turn.ok && turn.value !== null ? turn.value.owner : null
    if (owner !== undefined && owner !== ownerOfHome()) ofOthers.add(id)
  }
  return records.filter(({ turn_id }) => !ofOthers.has(turn_id))
}

function traceFolder(context: Context, config: Config): string {
  const folder = tracesIn({ ...context, config })
  const { trace_dir } = config.moa
  const unset = /\$\{?([A-Za-z_]\w*)/.exec(folder)?.[1]
  if (trace_dir !== null && unset !== undefined)
    context.output.note(`moa.trace_dir is ${plain(trace_dir, 200)}, but ${unset} is not set`)
  return folder
}

const noTeamDatabase = (): CommandFailure =>
  new CommandFailure('The running hub stores traces in its database, but no database is set here', {
    code: 'no_team',
    next: 'Set it as for the hub: PANOPTES_LEDGER, or team.ledger in config.yaml.',
  })
