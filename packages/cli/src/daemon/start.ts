import type { Bus } from '@panoptes/engine/bus'
import { type Paths, removeDaemonFile, writeDaemonFile } from '@panoptes/engine/home'
import { type Ledger, type LedgerPlace, lockLedger } from '@panoptes/engine/ledger'
import type { ReviewOptions } from '@panoptes/engine/review'
import type { Config } from '@panoptes/schema'
import { type FrontOptions, type RunningServer, startServer } from '@panoptes/server'
import { asCommandFailure, orFail } from '../failure.ts'
import type { PreparedPage } from '../page/index.ts'
import { commandName, typedHere } from '../terminal/invocation.ts'
import { VERSION } from '../version.ts'
import { type Log, openLog } from './log.ts'
import { portTaken } from './port.ts'
import { type OpenedSite, openSite } from './site.ts'
import { startTeamHub } from './start-hub.ts'

/** Whose files, settings and ledger. */
export interface Home {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly config: Config
  /** Where the ledger is; a file of the home where nobody says. */
  readonly place?: LedgerPlace | undefined
  /** How soon the review reads changes; the usual pace where nobody says. */
  readonly reviewPacing?: ReviewOptions['pacing']
}

export interface StartOptions extends Home {
  /** The address of a bus in front of the ledger. */
  readonly bus?: string | null | undefined
  readonly host: string
  readonly port: number
  /** The host was asked for by name on the command line. */
  readonly allowRemote: boolean
  readonly page: Promise<PreparedPage>
  /** No event comes in but what is posted, and nobody is judged: for a made-up day. */
  readonly onlyPosted?: boolean
  /** What was typed to start it, without the port. */
  readonly command?: string
  /** Somebody asked over HTTP that Panoptes stops. */
  readonly onStop: () => void
}

/** Panoptes, running in this process. */
export interface Panoptes {
  readonly server: Pick<RunningServer, 'port' | 'address' | 'link'>
  readonly ledger: Ledger
  readonly bus: Bus | undefined
  readonly page: PreparedPage
  readonly startedAt: number
  /** Lets requests end, then closes everything, the ledger last. */
  readonly close: () => Promise<void>
}

/** What serves, once it does. */
export interface Serving {
  readonly server: Panoptes['server']
  readonly ledger: Ledger
  readonly bus: Bus | undefined
  readonly close: () => Promise<void>
}

export async function startPanoptes(options: StartOptions): Promise<Panoptes> {
  const { paths, config, place = { kind: 'sqlite', file: paths.ledger } } = options
  const page = await options.page
  // A file is locked by who opens it; with a database it is the home that is for one process alone.
  const lock = place.kind === 'postgres' ? orFail(lockLedger(paths.ledger)) : undefined
  const log = openLog(paths.log, config.log.level)
  try {
    const front = frontOf(options, page, log)
    const serving =
      place.kind === 'postgres'
        ? await startTeamHub({ ...options, place }, front, { page, log })
        : await startAlone({ ...options, place }, front, { page, log })
    const { server, ledger, bus } = serving
    const startedAt = Date.now()
    await writeDaemonFile(paths, {
      pid: process.pid,
      port: server.port,
      address: server.address,
      version: VERSION,
      started_at: startedAt,
    })
    log.logger.info({ address: server.address, version: VERSION }, 'started')
    const close = async (): Promise<void> => {
      await removeDaemonFile(paths, process.pid)
      await serving.close()
      lock?.release()
      log.close()
    }
    return { server, ledger, bus, page, startedAt, close }
  } catch (error) {
    lock?.release()
    log.close()
    throw error
  }
}

const frontOf = (options: StartOptions, page: PreparedPage, log: Log): FrontOptions => ({
  paths: options.paths,
  config: options.config,
  version: VERSION,
  command: commandName(options.env),
  typed: typedHere(options.env),
  host: options.host,
  port: options.port,
  page: page.folder,
  log: log.logger,
  allowRemote: options.allowRemote,
  onStop: options.onStop,
})

/** One computer: one ledger, one site. */
async function startAlone(
  options: StartOptions & { readonly place: LedgerPlace },
  front: FrontOptions,
  parts: { readonly page: PreparedPage; readonly log: Log },
): Promise<Serving> {
  const site = await openSite({
    ...options,
    ...parts,
    isOfHome: true,
    onlyPosted: options.onlyPosted === true,
  })
  const started = await startServer({ ...front, ...site.options })
  if (!started.ok) {
    await closed(site)
    throw (await portTaken(options.host, options.port, options.command)) ?? asCommandFailure(started)
  }
  site.begin(started.value)
  return {
    server: started.value,
    ledger: site.ledger,
    bus: undefined,
    close: async () => {
      await site.quiet()
      await Promise.all([site.end(), started.value.close()])
      await site.close()
    },
  }
}

export async function closed(site: OpenedSite): Promise<void> {
  await site.quiet()
  await site.end()
  await site.close()
}
