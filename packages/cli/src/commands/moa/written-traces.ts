import { ownerOfHome } from '@panoptes/engine/home'
import type { Ledger } from '@panoptes/engine/ledger'
import { type KeptTraces, tracesInFiles } from '@panoptes/engine/moa'
import type { Config, PresetsReply, TraceRecord } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { openLedger } from '../../daemon/access.ts'
import { connect } from '../../daemon/client.ts'
import { tracesIn, tracesOf } from '../../daemon/moa-checks.ts'
import { placeOf } from '../../daemon/place.ts'
import { CommandFailure } from '../../failure.ts'
import { loadConfig } from '../config.ts'
import { plain } from '../sessions/words.ts'
import { settingsOf } from './of-files.ts'

export interface WrittenTraces {
  readonly kept: KeptTraces
  readonly save_traces: boolean
  /** Those that whoever is at this computer may read. */
  readonly isShown: (records: readonly TraceRecord[]) => Promise<readonly TraceRecord[]>
}

/** Where the daemon writes: its environment may be another one. Without it, what holds here. */
export async function withTraces<T>(
  context: Context,
  work: (written: WrittenTraces) => Promise<T>,
): Promise<T> {
  const { config } = await loadConfig(context)
  const client = await connect(context.paths)
  const told = await client?.json<PresetsReply>('/api/moa/presets')
  // The daemon answers a run before its trace is written, and lists turns only when all traces are.
  await client?.json('/api/moa/turns?limit=1')
  const place = placeOf(context, config)
  if (told ? told.trace_dir !== null : place.kind === 'sqlite') {
    const folder = told?.trace_dir ?? folderOf(context, config)
    const kept = tracesInFiles({ folder, maxBytes: config.moa.trace_max_mb })
    const save_traces = told?.save_traces ?? config.moa.save_traces
    return work({ kept, save_traces, isShown: async (records) => records })
  }
  if (place.kind === 'sqlite') throw elsewhere()
  const ledger = await openLedger(context, place)
  try {
    const save_traces = told?.save_traces ?? (await savesInTeam(place)) ?? config.moa.save_traces
    const kept = tracesOf({ ...context, config }, ledger.traces)
    return await work({ kept, save_traces, isShown: (records) => notOfOthers(ledger, records) })
  } finally {
    await ledger.close()
  }
}

/** Null where the team did not decide it. */
async function savesInTeam(place: Parameters<typeof settingsOf>[0]): Promise<boolean | null> {
  const { settings, close } = await settingsOf(place)
  const saves = settings.savesTraces()
  await close()
  return saves
}

/** What a person asked is theirs alone; whoever is at a hub's own computer is one more. */
async function notOfOthers(
  { turns }: Pick<Ledger, 'turns'>,
  records: readonly TraceRecord[],
): Promise<readonly TraceRecord[]> {
  const ofOthers = new Set<string>()
  for (const id of new Set(records.map(({ turn_id }) => turn_id))) {
    const turn = await turns.get(id)
    // Whose one is that is not there nobody knows.
    const owner = turn.ok && turn.value !== null ? turn.value.owner : null
    if (owner !== undefined && owner !== ownerOfHome()) ofOthers.add(id)
  }
  return records.filter(({ turn_id }) => !ofOthers.has(turn_id))
}

function folderOf(context: Context, config: Config): string {
  const folder = tracesIn({ ...context, config })
  const { trace_dir } = config.moa
  const unset = /\$\{?([A-Za-z_]\w*)/.exec(folder)?.[1]
  if (trace_dir !== null && unset !== undefined)
    context.output.note(`moa.trace_dir is ${plain(trace_dir, 200)}, and ${unset} is not set here`)
  return folder
}

const elsewhere = (): CommandFailure =>
  new CommandFailure('The hub that runs here keeps traces in its database, and none is named', {
    code: 'no_team',
    next: 'Name it as for the hub: PANOPTES_LEDGER, or team.ledger in config.yaml.',
  })
