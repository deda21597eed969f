import { randomUUID } from 'node:crypto'
import type { Providers } from '@panoptes/engine/models'
import type { Rows, TurnQuery, Turns } from '@panoptes/engine/store'
import type {
  ListedPreset,
  MoaPreset,
  MoaRunInput,
  MoaRunPart,
  MoaTurn,
  PresetsReply,
  Problem,
  ReplayInput,
  Result,
  SlotStats,
  TraceRecord,
  TurnAnalysis,
  TurnDiff,
  TurnReply,
} from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { analyse } from '../analysis/analyse.ts'
import { diffTurns } from '../diff/turn-diff.ts'
import type { Moa } from '../open.ts'
import { findPresetProblems, nameProblem } from '../presets.ts'
import { prepareReplay } from '../replay/replay-call.ts'
import type { MoaSettings } from '../settings.ts'
import type { TraceStore } from '../trace/port.ts'
import { createProviderCheck, isUnknownProvider, listProviders } from './list-providers.ts'
import { runParts } from './run-parts.ts'
import { slotStats } from './slot-stats.ts'

export interface MoaServiceOptions {
  readonly moa: Moa
  readonly settings: MoaSettings
  readonly providers: Providers
  readonly turns: Turns
  /** Where turns are traced. */
  readonly traces: Pick<TraceStore, 'folder' | 'read'>
  /** Resolves when every turn and trace has been written. */
  readonly waitForWrites: () => Promise<void>
  readonly env: Readonly<Record<string, string | undefined>>
}

export type PutPreset =
  | { readonly ok: true; readonly value: ListedPreset }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Everything people can do with turns and presets, except the gateway. */
export interface MoaService {
  readonly turns: (query: TurnQuery, who?: Viewer) => Promise<Result<Rows<MoaTurn>>>
  readonly turn: (id: string, who?: Viewer) => Promise<Result<TurnReply>>
  readonly diff: (id: string, other?: string | undefined, who?: Viewer) => Promise<Result<TurnDiff>>
  readonly presets: () => Promise<PresetsReply>
  /** The result distinguishes problems of the preset from problems of the file. */
  readonly putPreset: (name: string, preset: MoaPreset) => Promise<Result<PutPreset>>
  readonly removePreset: (name: string) => Promise<Result<null>>
  readonly slots: (preset: string, turns: number) => Promise<Result<SlotStats[]>>
  readonly run: (input: MoaRunInput, signal: AbortSignal, who?: Viewer) => Result<AsyncIterable<MoaRunPart>>
  readonly replay: (
    input: ReplayInput,
    signal: AbortSignal,
    who?: Viewer,
  ) => Promise<Result<AsyncIterable<MoaRunPart>>>
  readonly saveTraces: (save: boolean) => Promise<Result<null>>
}

/** How many later turns of a session are searched for replays of a turn. */
const MOST_LATER = 1_000

export function openMoaService(options: MoaServiceOptions): MoaService {
  const { moa, settings, providers, turns, traces, waitForWrites, env } = options
  const providerProblem = createProviderCheck(providers, env)

  const getTurn = async (id: string, who: Viewer): Promise<Result<MoaTurn>> => {
    await waitForWrites()
    const turn = id === '' ? success(null) : await turns.get(id)
    if (!turn.ok) return turn
    return turn.value
      ? success(redactForViewer(who, turn.value))
      : failure('not_found', `No turn ${id}, or several match. List turns: panoptes moa turns`)
  }
  const readRecords = async ({
    id,
    session_id,
    of_other,
  }: MoaTurn): Promise<Result<readonly TraceRecord[]>> => {
    if (of_other) return success([])
    const read = await traces.read({ session: session_id, turn: id })
    return read.ok ? success(read.value.records) : read
  }
  const listReplays = async (
    { id, session_id, started_at }: MoaTurn,
    who: Viewer,
  ): Promise<Result<MoaTurn[]>> => {
    const later = await turns.list({ session: session_id, since: started_at, limit: MOST_LATER })
    if (!later.ok) return later
    return success(
      later.value.rows.filter((turn) => turn.replay_of === id).map((turn) => redactForViewer(who, turn)),
    )
  }
  const findOther = async (
    turn: MoaTurn,
    named: string | undefined,
    who: Viewer,
  ): Promise<Result<MoaTurn>> => {
    if (named !== undefined) return getTurn(named, who)
    const replays = await listReplays(turn, who)
    if (!replays.ok) return replays
    const [newest] = replays.value
    if (newest) return success(newest)
    // A replay stands for the turn it was run from.
    if (turn.replay_of !== null) return success(turn)
    return failure(
      'not_found',
      `The turn has no replay yet. Replay it with: panoptes moa replay ${turn.id.slice(0, 8)}`,
    )
  }
  const toListedPreset = (name: string, preset: MoaPreset, from: ListedPreset['from']): ListedPreset => ({
    name,
    preset,
    from,
    problems: findPresetProblems(preset, providerProblem).map(({ path, reason }) => `${path}: ${reason}`),
  })

  return {
    turns: async (query, who) => {
      await waitForWrites()
      const listed = await turns.list(query)
      if (!listed.ok) return listed
      const { total, rows } = listed.value
      return success({ total, rows: rows.map((turn) => redactForViewer(who, turn)) })
    },
    turn: async (id, who) => {
      const turn = await getTurn(id, who)
      if (!turn.ok) return turn
      const [records, replays] = await Promise.all([readRecords(turn.value), listReplays(turn.value, who)])
      if (!records.ok) return records
      if (!replays.ok) return replays
      return success({
        turn: turn.value,
        records: [...records.value],
        replays: replays.value,
        analysis: await analyzeTurn(records.value),
      })
    },
    diff: async (id, named, who) => {
      const turn = await getTurn(id, who)
      if (!turn.ok) return turn
      const other = await findOther(turn.value, named, who)
      if (!other.ok) return other
      const first =
        other.value === turn.value && turn.value.replay_of !== null
          ? await getTurn(turn.value.replay_of, who)
          : turn
      if (!first.ok) return first
      const [before, after] = await Promise.all([readRecords(first.value), readRecords(other.value)])
      if (!before.ok) return before
      if (!after.ok) return after
      return success(
        diffTurns({ turn: first.value, records: before.value }, { turn: other.value, records: after.value }),
      )
    },
    presets: async () => {
      await settings.refresh()
      return {
        presets: Object.entries(settings.all()).map(([name, { preset, from }]) =>
          toListedPreset(name, preset, from),
        ),
        default_preset: settings.defaultPreset(),
        save_traces: settings.savesTraces(),
        trace_dir: traces.folder,
        providers: listProviders(providers, env),
      }
    },
    putPreset: async (name, preset) => {
      const wrong = nameProblem(name)
      if (wrong !== undefined) return failure('invalid', wrong)
      const describeUnknownProvider = (provider: string) =>
        isUnknownProvider(providers, provider) ? providerProblem(provider) : undefined
      const problems = findPresetProblems(preset, describeUnknownProvider)
      if (problems.length > 0) return success({ ok: false, problems })
      const put = await settings.putPreset(name, preset)
      return put.ok
        ? success({ ok: true, value: toListedPreset(name, preset, settings.all()[name]?.from ?? 'config') })
        : put
    },
    removePreset: settings.removePreset,
    slots: async (preset, most) => {
      const rows = await turns.list({ preset, limit: most })
      return rows.ok ? success(slotStats(rows.value.rows.filter(({ from }) => from !== 'replay'))) : rows
    },
    run: ({ preset = moa.defaultPreset() ?? undefined, prompt, system, session }, signal, owner) => {
      if (preset === undefined)
        return failure('not_found', 'No presets yet. Add one to config.yaml under moa.presets.')
      const messages = [
        ...(system === undefined ? [] : [{ role: 'system', content: system }]),
        { role: 'user', content: prompt },
      ]
      return runParts(moa, {
        preset,
        session: session ?? `run-${randomUUID()}`,
        ask: { messages, rest: {}, stream: true },
        signal,
        owner,
        from: 'run',
      })
    },
    replay: async (input, signal, owner) => {
      const turn = await getTurn(input.turn, owner)
      if (!turn.ok) return turn
      if (turn.value.of_other)
        return failure(
          'invalid',
          `Turn ${turn.value.id} belongs to someone else, and its trace is private. Run the preset yourself.`,
        )
      const { id, session_id: session } = turn.value
      const records = await readRecords(turn.value)
      if (!records.ok) return records
      if (records.value.length === 0 || turn.value.trace_problem !== undefined)
        return explainMissingTrace(turn.value, traces.folder, settings.savesTraces())
      const call = prepareReplay({ records: records.value, input, presets: settings.presets(), providers })
      if (!call.ok) return call
      const { preset, ask, recorded } = call.value
      return runParts(moa, { preset, session, ask, recorded, signal, owner, from: 'replay', replayOf: id })
    },
    saveTraces: settings.saveTraces,
  }
}

function explainMissingTrace(turn: MoaTurn, folder: string | null, isOn: boolean): Result<never> {
  const { id, traced, trace_problem: problem } = turn
  const where = folder ?? 'the store'
  if (problem !== undefined)
    return failure(
      'invalid',
      `The trace of turn ${id} could not be saved to ${where}, so it cannot be replayed: ${problem}`,
    )
  if (traced)
    return failure(
      'invalid',
      `The trace of turn ${id} is no longer in ${where}, so it cannot be replayed: ${
        folder === null
          ? 'it was deleted to stay within moa.trace_dir_max_mb or moa.trace_max_mb, or it was saved elsewhere.'
          : 'its file was deleted or replaced, or removed to stay within moa.trace_dir_max_mb.'
      }`,
    )
  const switched =
    folder === null
      ? 'An admin of the space main can turn on traces on the MoA page.'
      : 'Turn on traces with: panoptes config set moa.save_traces true (or on the MoA page).'
  return failure(
    'invalid',
    `Turn ${id} has no trace, so it cannot be replayed. ${
      isOn ? 'Traces are on now: run the preset again, then replay that turn.' : switched
    }`,
  )
}

/**
 * Compares the answer of a turn with the last texts of its references. Returns null if no texts are
 * stored.
 */
async function analyzeTurn(records: readonly TraceRecord[]): Promise<TurnAnalysis | null> {
  const record = records.findLast(({ references }) => references.length > 0)
  if (record === undefined) return null
  const answer = records.findLast(({ aggregator }) => aggregator.output !== null)?.aggregator.output ?? ''
  return analyse(
    answer,
    record.references.map(({ output, error }) => (error === null ? output : null)),
  )
}

/**
 * The person who asks; undefined on a single-user installation, where everything belongs to them.
 */
type Viewer = string | undefined

/**
 * Returns the turn as this person may see it. The turn of another person shows that it ran and what
 * it cost, but no text.
 */
function redactForViewer(who: Viewer, turn: MoaTurn): MoaTurn {
  if (turn.owner === undefined || who === undefined || turn.owner === who) return turn
  const { owner: _owner, trace_problem: _problem, ...rest } = turn
  return {
    ...rest,
    question: '',
    traced: false,
    // A provider's error message may repeat the prompt.
    slots: turn.slots.map((slot) =>
      slot.error === null ? slot : { ...slot, error: { ...slot.error, message: '' } },
    ),
    of_other: true,
  }
}
