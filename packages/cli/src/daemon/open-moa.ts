import type { Paths } from '@panoptes/engine/home'
import type { Ledger } from '@panoptes/engine/ledger'
import {
  createTeller,
  type KeptSettings,
  keptInConfig,
  type Moa,
  type MoaRoom,
  openMoa,
  openMoaRoom,
  openMoaSettings,
  openTraces,
  together,
  toldLines,
  traceRecordOf,
} from '@panoptes/engine/moa'
import { createPrices, openProviders, type Providers, readCatalogue } from '@panoptes/engine/models'
import type { Forgetter } from '@panoptes/engine/sessions'
import { hermesHome } from '@panoptes/engine/sources'
import type { Config, HealthCheck, NewEvent } from '@panoptes/schema'
import { tracesForgetter } from './forget-traces.ts'
import { hermesCheck, traceCheck, tracesOf } from './moa-checks.ts'

export interface OpenedMoa {
  readonly providers: Providers
  readonly moa: Moa
  readonly moaRoom: MoaRoom
  /** What is written down of sessions can be taken out. */
  readonly forgetter: Forgetter
  readonly checks: () => Promise<readonly HealthCheck[]>
  /** When what turns took is kept and written down, or after a moment. */
  readonly settled: () => Promise<void>
}

export interface MoaHome {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly config: Config
  readonly host: string
  /** What hubs of a team share, which goes before config.yaml. */
  readonly settings?: KeptSettings | undefined
}

const PATIENCE_MS = 3_000

/** Models, and presets of several, as the home says; what a turn took goes into the ledger. */
export function moaOf(
  home: MoaHome,
  ledger: Pick<Ledger, 'turns' | 'traces'>,
  append: (events: readonly NewEvent[]) => unknown,
): OpenedMoa {
  const { paths, env, config, host } = home
  const { turns } = ledger
  readCatalogue(paths.prices)
  const settings = openMoaSettings({
    config: config.moa,
    hermesHome: hermesHome(env),
    kept: home.settings ?? keptInConfig(paths, config.moa),
  })
  const providers = openProviders({ providers: config.providers, env })
  const kept = tracesOf(home, ledger.traces)
  const traces = openTraces({ kept, secrets: providers.secrets })
  const teller = createTeller({ host, append, secrets: providers.secrets })
  const keeping = together(turns.keep)
  const lines = toldLines()
  const moa = openMoa({
    get presets() {
      return settings.presets()
    },
    get defaultPreset() {
      return settings.defaultPreset()
    },
    get privacy() {
      return settings.privacy()
    },
    providers,
    prices: createPrices(config.prices),
    traced: settings.savesTraces,
    onPart: teller.part,
    onCall: (turn, call, { session, from, isPrivate }, preset) => {
      const isWritten = settings.savesTraces() && isPrivate !== true
      keeping.put(lines.kept(turn, isWritten))
      if (!isWritten) return
      const about = { session, preset, privacy: settings.privacy(), inSessionDb: from === 'chat' }
      traces.write(
        session,
        () => traceRecordOf(call, about),
        (problem) => {
          const again = lines.ended(turn.id, problem)
          if (again) keeping.put(again)
        },
      )
    },
  })
  const written = async () => {
    await Promise.all([teller.settled(), traces.settled()])
    await keeping.settled()
  }
  const moaRoom = openMoaRoom({
    moa,
    settings,
    providers,
    turns,
    traces: kept,
    written,
    env,
  })
  return {
    providers,
    moa,
    moaRoom,
    forgetter: tracesForgetter(kept, written),
    checks: async () => [
      ...(settings.savesTraces()
        ? [await traceCheck({ kept, maxMb: config.moa.trace_dir_max_mb, traces })]
        : []),
      ...settings.problems().map(hermesCheck),
    ],
    settled: () => Promise.race([written(), moment(PATIENCE_MS)]),
  }
}

const moment = (ms: number): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, ms).unref()
  })
