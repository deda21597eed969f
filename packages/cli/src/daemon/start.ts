import type { Bus } from '@panoptes/engine/bus'
import { removeDaemonFile, writeDaemonFile } from '@panoptes/engine/home'
import { type EventStore, lockStore, type StoreLocation } from '@panoptes/engine/store'
import { type HttpServerOptions, type RunningServer, startServer } from '@panoptes/server'
import { orFail, toCommandFailure } from '../failure.ts'
import type { PreparedPage } from '../page/index.ts'
import { commandName, createCommandRewriter } from '../terminal/invocation.ts'
import { VERSION } from '../version.ts'
import { type Log, openLog } from './log.ts'
import { portTaken } from './port.ts'
import { closed, openSite } from './site.ts'
import type { Serving } from './start-hub.ts'
import type { StartOptions } from './start-options.ts'

/** A Panoptes that runs in this process. */
export interface Panoptes {
  readonly server: Pick<RunningServer, 'port' | 'address' | 'link'>
  readonly store: EventStore
  readonly bus: Bus | undefined
  readonly page: PreparedPage
  readonly startedAt: number
  /** Waits for open requests, then closes everything, the store last. */
  readonly close: () => Promise<void>
}

export async function startPanoptes(options: StartOptions): Promise<Panoptes> {
  const { paths, config, place = { kind: 'sqlite', file: paths.store } } = options
  const page = await options.page
  // Opening a file locks it. A database can be shared, so here the lock on the home prevents a second
  // process.
  const lock = place.kind === 'postgres' ? orFail(lockStore(paths.store)) : undefined
  const log = openLog(paths.log, config.log.level)
  let serving: Serving | undefined
  try {
    const front = frontOf(options, page, log)
    serving =
      place.kind === 'postgres'
        ? await (await import('./start-hub.ts')).startTeamHub({ ...options, place }, front, { page, log })
        : await startAlone({ ...options, place }, front, { page, log })
    const { server, store, bus, close: closeServing } = serving
    const startedAt = Date.now()
    orFail(
      await writeDaemonFile(paths, {
        pid: process.pid,
        port: server.port,
        address: server.address,
        version: VERSION,
        started_at: startedAt,
      }),
    )
    log.logger.info({ address: server.address, version: VERSION }, 'started')
    const close = async (): Promise<void> => {
      await removeDaemonFile(paths, process.pid)
      await closeServing()
      lock?.release()
      log.close()
    }
    return { server, store, bus, page, startedAt, close }
  } catch (error) {
    // After a failed start, an open port would keep the process alive.
    await serving?.close()
    lock?.release()
    log.close()
    throw error
  }
}

const frontOf = (options: StartOptions, page: PreparedPage, log: Log): HttpServerOptions => ({
  paths: options.paths,
  config: options.config,
  version: VERSION,
  command: commandName(options.env),
  rewriteCommands: createCommandRewriter(options.env),
  host: options.host,
  port: options.port,
  page: page.folder,
  log: log.logger,
  allowRemote: options.allowRemote,
  onStop: options.onStop,
})

/** Starts Panoptes for one computer with one store and one site. */
async function startAlone(
  options: StartOptions & { readonly place: StoreLocation },
  front: HttpServerOptions,
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
    throw (await portTaken(options.host, options.port, options.command)) ?? toCommandFailure(started)
  }
  site.begin(started.value)
  return {
    server: started.value,
    store: site.store,
    bus: undefined,
    close: async () => {
      await site.quiet()
      await Promise.all([site.end(), started.value.close()])
      await site.close()
    },
  }
}
