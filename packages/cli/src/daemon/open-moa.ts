import type { Paths } from '@panoptes/engine/home'
import {
  createBatcher,
  createLiveReporter,
  createTraceStatus,
  type Moa,
  type MoaService,
  openConfigSettings,
  openMoa,
  openMoaService,
  openMoaSettings,
  openTraces,
  type SettingsStore,
  toTraceRecord,
} from '@panoptes/engine/moa'
import { createPrices, openProviders, type Providers, readCatalogue } from '@panoptes/engine/models'
import type { Forgetter } from '@panoptes/engine/sessions'
import { hermesHome } from '@panoptes/engine/sources'
import type { EventStore } from '@panoptes/engine/store'
import type { Config, HealthCheck, NewEvent } from '@panoptes/schema'
import { tracesForgetter } from './forget-traces.ts'
import { hermesCheck, traceCheck, tracesOf } from './moa-checks.ts'

export interface OpenedMoa {
  readonly providers: Providers
  readonly moa: Moa
  readonly moaService: MoaService
  /** Deletes sessions from the traces. */
  readonly forgetter: Forgetter
  readonly checks: () => Promise<readonly HealthCheck[]>
  /** Resolves when all turns are stored, or after a short timeout. */
  readonly settled: () => Promise<void>
}

export interface MoaHome {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly config: Config
  readonly host: string
  /** Settings shared by all hubs of a team, which override config.yaml. */
  readonly settings?: SettingsStore | undefined
}

const PATIENCE_MS = 3_000

/** Opens the models and presets of a home. Usage of turns goes into the store. */
export function moaOf(
  home: MoaHome,
  store: Pick<EventStore, 'turns' | 'traces'>,
  append: (events: readonly NewEvent[]) => unknown,
): OpenedMoa {
  const { paths, env, config, host } = home
  const { turns } = store
  readCatalogue(paths.prices)
  const settings = openMoaSettings({
    config: config.moa,
    hermesHome: hermesHome(env),
    kept: home.settings ?? openConfigSettings(paths, config.moa),
  })
  const providers = openProviders({ providers: config.providers, env })
  const kept = tracesOf(home, store.traces)
  const traces = openTraces({ kept, secrets: providers.secrets })
  const teller = createLiveReporter({ host, append, secrets: providers.secrets })
  const keeping = createBatcher(turns.keep)
  const lines = createTraceStatus()
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
    onPart: teller.report,
    onCall: (turn, call, { session, from, isPrivate }, preset) => {
      const isWritten = settings.savesTraces() && isPrivate !== true
      keeping.put(lines.annotate(turn, isWritten))
      if (!isWritten) return
      const about = { session, preset, privacy: settings.privacy(), inSessionDb: from === 'chat' }
      traces.write(
        session,
        () => toTraceRecord(call, about),
        (problem) => {
          const again = lines.completeLine(turn.id, problem)
          if (again) keeping.put(again)
        },
      )
    },
  })
  const written = async () => {
    await Promise.all([teller.drain(), traces.drain()])
    await keeping.drain()
  }
  const moaService = openMoaService({
    moa,
    settings,
    providers,
    turns,
    traces: kept,
    waitForWrites: written,
    env,
  })
  return {
    providers,
    moa,
    moaService,
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
