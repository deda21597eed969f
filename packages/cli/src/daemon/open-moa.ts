import { join } from 'node:path'
import type { Paths } from '@panoptes/engine/home'
import type { Ledger } from '@panoptes/engine/ledger'
import {
  createTeller,
  type Moa,
  openMoa,
  openTraces,
  type Traces,
  traceFolder,
  traceRecordOf,
} from '@panoptes/engine/moa'
import { createPrices, openProviders, type Providers, readCatalogue } from '@panoptes/engine/models'
import type { Config, HealthCheck } from '@panoptes/schema'

export interface OpenedMoa {
  readonly providers: Providers
  readonly moa: Moa
  /** Where turns are written down; nothing while that is off. */
  readonly traces: Traces | undefined
  readonly checks: () => readonly HealthCheck[]
}

export interface MoaHome {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly config: Config
  readonly host: string
}

/** Models, and presets of several, as the home says; what a turn took goes into the ledger. */
export function moaOf(
  { paths, env, config, host }: MoaHome,
  ledger: Pick<Ledger, 'turns' | 'append'>,
): OpenedMoa {
  const {
    save_traces,
    trace_dir,
    trace_max_mb,
    privacy_filter: privacy,
    presets,
    default_preset,
  } = config.moa
  readCatalogue(paths.prices)
  const providers = openProviders({ providers: config.providers, env })
  const folder = traceFolder(trace_dir, join(paths.home, 'moa-traces'), env)
  const traces = save_traces ? openTraces({ folder, maxBytes: trace_max_mb * 1_048_576 }) : undefined
  const teller = createTeller({ host, append: (events) => void ledger.append(events) })
  const moa = openMoa({
    presets,
    defaultPreset: default_preset,
    privacy,
    providers,
    prices: createPrices(config.prices),
    traced: () => traces !== undefined,
    onPart: (part, request) => teller.part(part, request),
    onCall: (turn, call, { session, preset, from }) => {
      void ledger.turns.keep([turn])
      const of = presets[preset]
      if (of === undefined) return
      traces?.write(session, () =>
        traceRecordOf(call, { session, preset: of, privacy, inSessionDb: from === 'chat' }),
      )
    },
  })
  return { providers, moa, traces, checks: () => (traces ? [traceCheck(traces, folder)] : []) }
}

function traceCheck(traces: Traces, folder: string): HealthCheck {
  const problem = traces.problem()
  const base = { id: 'moa-traces', title: 'Traces of turns' }
  return problem === null
    ? { ...base, state: 'ok', detail: `Written to ${folder}`, cause: null, next: null }
    : {
        ...base,
        state: 'warning',
        detail: `${traces.lost()} lines could not be written to ${folder}`,
        cause: problem,
        next: 'Make room there or make it writable, or set moa.trace_dir to another folder.',
      }
}
