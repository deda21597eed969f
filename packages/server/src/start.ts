import { type Result, success } from '@panoptes/schema'
import { homeCallers } from './callers.ts'
import { openListener } from './front.ts'
import { once } from './once.ts'
import type { RunningServer, ServerOptions } from './options.ts'
import { openSite } from './site.ts'
import { STREAM_LIMITS, type StreamLimits } from './stream/stream.ts'

/** The server of one computer: one site, and whoever has a token file of the home. */
export const startServer = (options: ServerOptions): Promise<Result<RunningServer>> =>
  start(options, STREAM_LIMITS)

export async function start(options: ServerOptions, limits: StreamLimits): Promise<Result<RunningServer>> {
  const { ledger, log, config } = options
  const opened = await openListener(options)
  if (!opened.ok) return opened
  const { front, serve, close: closeListener } = opened.value
  const { space } = config.team
  const readiness = async () => {
    const head = await ledger.head()
    return { because: head.ok ? null : head.message, takesEvents: head.ok, away: [] }
  }
  const made = await openSite(options, { space, front: { ...front, people: undefined }, limits, readiness })
  if (!made.ok) {
    await closeListener()
    return made
  }
  const site = made.value
  serve({ home: () => site, of: () => site }, homeCallers(front.credentials, space))
  return success({
    port: front.port,
    address: front.address,
    ...site.running,
    close: once(async () => {
      await Promise.all([closeListener(), site.end()])
      site.stop()
      log.info('stopped')
    }),
  })
}
