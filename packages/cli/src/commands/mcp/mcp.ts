import type { Context } from '../../context.ts'
import { onSignals } from '../../daemon/signals.ts'
import { ofHome } from './of-home.ts'
import { serveTools } from './serve.ts'

/** Serves until whoever started it closes its end. */
export async function mcp(context: Context): Promise<void> {
  // stdout belongs to the protocol: what commands have to say goes to stderr, where clients keep their logs.
  const quiet = { ...context.output, json: false, interactive: false, answer: () => undefined }
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const server = serveTools(ofHome({ ...context, output: quiet }), resolve)
  const done = onSignals(resolve, resolve)
  process.stdin.once('end', resolve).once('close', resolve)
  await over
  done()
  await server.close()
}
