import { type Result, success } from '@panoptes/schema'
import type { SpaceServer } from './app-context.ts'
import { createHomeCallers } from './authenticate.ts'
import { openListener } from './http-server.ts'
import type { RunningServer, ServerOptions } from './options.ts'
import { toRefusal } from './problem.ts'
import { once } from './single-flight.ts'
import { openSpaceServer } from './space-server.ts'
import { STREAM_LIMITS, type StreamLimits } from './stream/stream.ts'

/** Starts the server of one computer: one space, for callers with a token file of the home. */
export const startServer = (options: ServerOptions): Promise<Result<RunningServer>> =>
  start(options, STREAM_LIMITS)

const STANDING_MS = 60_000

export async function start(options: ServerOptions, limits: StreamLimits): Promise<Result<RunningServer>> {
  const { store, log, config } = options
  const opened = await openListener(options)
  if (!opened.ok) return opened
  const { serverContext, serve, ready, close: closeListener } = opened.value
  const { space } = config.team
  let spaceServer: SpaceServer | undefined
  serve(
    { home: () => spaceServer, of: () => spaceServer },
    createHomeCallers(serverContext.credentials, space),
  )
  const readiness = async () => {
    const writable = await store.checkWritable()
    if (writable.ok) return { because: null, takesEvents: true, away: [] }
    const { detail, next } = toRefusal(writable)
    return { because: detail, next, takesEvents: false, away: [] }
  }
  const made = await openSpaceServer(options, {
    space,
    serverContext: { ...serverContext, people: undefined },
    limits,
    readiness,
  })
  if (!made.ok) {
    await closeListener()
    return made
  }
  const { running, end, stop } = made.value
  spaceServer = made.value
  ready()
  // A browser may be signed out while its stream is open.
  const accessTimer = setInterval(() => made.value.stream.recheck(), STANDING_MS)
  accessTimer.unref()
  return success({
    port: serverContext.port,
    address: serverContext.address,
    ...running,
    close: once(async () => {
      clearInterval(accessTimer)
      await Promise.all([closeListener(), end()])
      stop()
      log.info('stopped')
    }),
  })
}
