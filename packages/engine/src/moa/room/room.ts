import { randomUUID } from 'node:crypto'
import type { Rows, TurnQuery, Turns } from '@panoptes/engine/ledger'
import type { Providers } from '@panoptes/engine/models'
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
  TurnDiff,
  TurnReply,
} from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { turnDiff } from '../diff/turn-diff.ts'
import type { Moa } from '../open.ts'
import { nameProblem, problemsOf } from '../preset-problems.ts'
import { replayedCall } from '../replay/recorded.ts'
import type { MoaSettings } from '../settings.ts'
import type { KeptTraces } from '../trace/port.ts'
import { analysisOf } from './analysis.ts'
import { isUnknownProvider, listProviders, providerProblemOf } from './list-providers.ts'
import { runParts } from './run-parts.ts'
import { shownTo, type Who } from './shown-to.ts'
import { slotStats } from './slot-stats.ts'

export interface RoomOptions {
  readonly moa: Moa
  readonly settings: MoaSettings
  readonly providers: Providers
  readonly turns: Turns
  /** Where turns are written down. */
  readonly traces: Pick<KeptTraces, 'folder' | 'read'>
  /** When all that is to be kept and written down is. */
  readonly written: () => Promise<void>
  readonly env: Readonly<Record<string, string | undefined>>
}

export type PutPreset =
  | { readonly ok: true; readonly value: ListedPreset }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Everything people do with turns and presets, but for the gateway. */
export interface MoaRoom {
  readonly turns: (query: TurnQuery, who?: Who) => Promise<Result<Rows<MoaTurn>>>
  readonly turn: (id: string, who?: Who) => Promise<Result<TurnReply>>
  readonly diff: (id: string, other?: string | undefined, who?: Who) => Promise<Result<TurnDiff>>
  readonly presets: () => Promise<PresetsReply>
  /** What is wrong with the preset is told apart from what is wrong with the file. */
  readonly putPreset: (name: string, preset: MoaPreset) => Promise<Result<PutPreset>>
  readonly removePreset: (name: string) => Promise<Result<null>>
  readonly slots: (preset: string, turns: number) => Promise<Result<SlotStats[]>>
  readonly run: (input: MoaRunInput, signal: AbortSignal, who?: Who) => Result<AsyncIterable<MoaRunPart>>
  readonly replay: (
    input: ReplayInput,
    signal: AbortSignal,
    who?: Who,
  ) => Promise<Result<AsyncIterable<MoaRunPart>>>
  readonly saveTraces: (save: boolean) => Promise<Result<null>>
}

/** Among how many later turns of its session the replays of a turn are looked for. */
const MOST_LATER = 1_000

export function openMoaRoom(options: RoomOptions): MoaRoom {
  const { moa, settings, providers, turns, traces, written, env } = options
  const providerProblem = providerProblemOf(providers, env)

  const found = async (id: string, who: Who): Promise<Result<MoaTurn>> => {
    await written()
    const turn = id === '' ? success(null) : await turns.get(id)
    if (!turn.ok) return turn
    return turn.value
      ? success(shownTo(who, turn.value))
      : failure(
          'not_found',
          `There is no turn ${id}, or several begin with it; panoptes moa turns lists them.`,
        )
  }
  const recordsOf = async ({
    id,
    session_id,
    of_other,
  }: MoaTurn): Promise<Result<readonly TraceRecord[]>> => {
    if (of_other) return success([])
    const read = await traces.read({ session: session_id, turn: id })
    return read.ok ? success(read.value.records) : read
  }
  const replaysOf = async ({ id, session_id, started_at }: MoaTurn, who: Who): Promise<Result<MoaTurn[]>> => {
    const later = await turns.list({ session: session_id, since: started_at, limit: MOST_LATER })
    if (!later.ok) return later
    return success(later.value.rows.filter((turn) => turn.replay_of === id).map((turn) => shownTo(who, turn)))
  }
  const otherOf = async (turn: MoaTurn, named: string | undefined, who: Who): Promise<Result<MoaTurn>> => {
    if (named !== undefined) return found(named, who)
    const replays = await replaysOf(turn, who)
    if (!replays.ok) return replays
    const [newest] = replays.value
    if (newest) return success(newest)
    // Whoever names a replay means what it was run again from.
    if (turn.replay_of !== null) return success(turn)
    return failure(
      'not_found',
      `The turn was not run again yet. Do so with: panoptes moa replay ${turn.id.slice(0, 8)}`,
    )
  }
  const listed = (name: string, preset: MoaPreset, from: ListedPreset['from']): ListedPreset => ({
    name,
    preset,
    from,
    problems: problemsOf(preset, providerProblem).map(({ path, reason }) => `${path}: ${reason}`),
  })

  return {
    turns: async (query, who) => {
      await written()
      const listed = await turns.list(query)
      if (!listed.ok) return listed
      const { total, rows } = listed.value
      return success({ total, rows: rows.map((turn) => shownTo(who, turn)) })
    },
    turn: async (id, who) => {
      const turn = await found(id, who)
      if (!turn.ok) return turn
      const [records, replays] = await Promise.all([recordsOf(turn.value), replaysOf(turn.value, who)])
      if (!records.ok) return records
      if (!replays.ok) return replays
      return success({
        turn: turn.value,
        records: [...records.value],
        replays: replays.value,
        analysis: await analysisOf(records.value),
      })
    },
    diff: async (id, named, who) => {
      const turn = await found(id, who)
      if (!turn.ok) return turn
      const other = await otherOf(turn.value, named, who)
      if (!other.ok) return other
      const first =
        other.value === turn.value && turn.value.replay_of !== null
          ? await found(turn.value.replay_of, who)
          : turn
      if (!first.ok) return first
      const [before, after] = await Promise.all([recordsOf(first.value), recordsOf(other.value)])
      if (!before.ok) return before
      if (!after.ok) return after
      return success(
        turnDiff({ turn: first.value, records: before.value }, { turn: other.value, records: after.value }),
      )
    },
    presets: async () => {
      await settings.look()
      return {
        presets: Object.entries(settings.all()).map(([name, { preset, from }]) => listed(name, preset, from)),
        default_preset: settings.defaultPreset(),
        save_traces: settings.savesTraces(),
        trace_dir: traces.folder,
        providers: listProviders(providers, env),
      }
    },
    putPreset: async (name, preset) => {
      const wrong = nameProblem(name)
      if (wrong !== undefined) return failure('invalid', wrong)
      const unknown = (provider: string) =>
        isUnknownProvider(providers, provider) ? providerProblem(provider) : undefined
      const problems = problemsOf(preset, unknown)
      if (problems.length > 0) return success({ ok: false, problems })
      const put = await settings.putPreset(name, preset)
      return put.ok
        ? success({ ok: true, value: listed(name, preset, settings.all()[name]?.from ?? 'config') })
        : put
    },
    removePreset: settings.removePreset,
    slots: async (preset, most) => {
      const rows = await turns.list({ preset, limit: most })
      return rows.ok ? success(slotStats(rows.value.rows.filter(({ from }) => from !== 'replay'))) : rows
    },
    run: ({ preset = moa.defaultPreset() ?? undefined, prompt, system, session }, signal, owner) => {
      if (preset === undefined)
        return failure('not_found', 'There is no preset yet. Write one into config.yaml under moa.presets.')
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
      const turn = await found(input.turn, owner)
      if (!turn.ok) return turn
      if (turn.value.of_other)
        return failure(
          'invalid',
          `Somebody else asked turn ${turn.value.id}, and what its models were sent is theirs alone. Ask the preset yourself.`,
        )
      const { id, session_id: session } = turn.value
      const records = await recordsOf(turn.value)
      if (!records.ok) return records
      if (records.value.length === 0 || turn.value.trace_problem !== undefined)
        return untraced(turn.value, traces.folder, settings.savesTraces())
      const call = replayedCall({ records: records.value, input, presets: settings.presets(), providers })
      if (!call.ok) return call
      const { preset, ask, recorded } = call.value
      return runParts(moa, { preset, session, ask, recorded, signal, owner, from: 'replay', replayOf: id })
    },
    saveTraces: settings.saveTraces,
  }
}

function untraced(turn: MoaTurn, folder: string | null, isOn: boolean): Result<never> {
  const { id, traced, trace_problem: problem } = turn
  const where = folder ?? 'the ledger'
  if (problem !== undefined)
    return failure(
      'invalid',
      `What the models of turn ${id} were sent could not be written to ${where} when it ran, so it cannot be run again: ${problem}`,
    )
  if (traced)
    return failure(
      'invalid',
      `What the models of turn ${id} were sent is no longer in ${where}, so it cannot be run again: ${
        folder === null
          ? 'it went because there was more than may be kept (moa.trace_dir_max_mb, moa.trace_max_mb), or was written elsewhere.'
          : 'its file was deleted, begun anew, or went because the folder was full (moa.trace_dir_max_mb).'
      }`,
    )
  const switched =
    folder === null
      ? 'An admin of the space main can have turns written down from now on with the switch on the page MoA.'
      : 'Have turns written down from now on with: panoptes config set moa.save_traces true (or the switch on the page).'
  return failure(
    'invalid',
    `Turn ${id} was not written down, so nobody knows what its models were sent. ${
      isOn ? 'Turns are written down now: ask again, then run that turn again.' : switched
    }`,
  )
}
