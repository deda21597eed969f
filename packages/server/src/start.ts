import { createServer, type Server } from 'node:http'
import { hostname } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getRequestListener } from '@hono/node-server'
import {
  createCapture,
  createClaudeCodeHooks,
  createHermesHooks,
  knownChildren,
  knownEvents,
} from '@panoptes/engine/capture'
import { isLoopback, openTokens, webhookSecret } from '@panoptes/engine/home'
import { createConflicts, createRequests } from '@panoptes/engine/live'
import { failure, type Result, success } from '@panoptes/schema'
import { createScopes } from './access.ts'
import { createApp } from './app.ts'
import { createCredentials } from './credentials.ts'
import { createFlow } from './flow.ts'
import { createGuard } from './guard.ts'
import { addressOf, allowedHosts } from './hosts.ts'
import { createIngest, createIntake } from './ingest.ts'
import type { Kit } from './kit.ts'
import { createLinks } from './links.ts'
import { drain, listen } from './listen.ts'
import { APPEND_SECONDS, createHistogram, type Gauge } from './metrics.ts'
import type { RunningServer, ServerOptions } from './options.ts'
import { createPage } from './page.ts'
import { refuseUnreadable, unreadableAnswer } from './raw.ts'
import { routesOf } from './routes/index.ts'
import { createSharing } from './sharing.ts'
import { createStream, STREAM_LIMITS, type Stream, type StreamLimits } from './stream/stream.ts'
import { createWebhooks } from './webhooks.ts'
import { createWorks } from './work.ts'

export const startServer = (options: ServerOptions): Promise<Result<RunningServer>> =>
  start(options, STREAM_LIMITS)

export async function start(options: ServerOptions, limits: StreamLimits): Promise<Result<RunningServer>> {
  const { host, ledger, paths, config, log } = options
  if (!isLoopback(host) && !options.allowRemote) {
    return failure(
      'invalid',
      `${host} can be reached from other computers. Ask for it by name if you want that.`,
    )
  }
  const tokens = await openTokens(paths)
  if (!tokens.ok) return tokens
  const secret = await webhookSecret(paths)
  if (!secret.ok) return secret
  const head = await ledger.head()
  if (!head.ok) return head

  const readers = [createClaudeCodeHooks(), createHermesHooks(await knownChildren(ledger))]
  const known = await knownEvents(ledger)

  // The port is known only after the bind, and what is allowed depends on it: until then nothing is answered.
  const server = createServer({
    requestTimeout: 120_000,
    headersTimeout: 20_000,
    keepAliveTimeout: 5_000,
    // Clients that would rather speak HTTP/2 offer that too; to them it is an ordinary request.
    shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
  })
  const bound = await listen(server, host, options.port)
  if (!bound.ok) return bound

  const port = bound.value
  const address = addressOf(host, port)
  const credentials = createCredentials(tokens.value, port)
  // The routes need the stream, which needs the guard, which goes by the routes: nobody asks before all are there.
  const scopes = { of: createScopes([]), sharing: createSharing([], []) }
  const hosts = allowedHosts(host, port, config.server.allowed_hosts)
  const guard = createGuard(
    hosts,
    credentials,
    (method, path) => scopes.of(method, path),
    (asked) => scopes.sharing(asked),
  )
  const flow = createFlow()
  const stream = createStream(head.value.last, {
    ledger,
    flow,
    log,
    guard,
    limits,
    generation: credentials.generation,
  })
  const appendTime = createHistogram(APPEND_SECONDS)
  const capture = createCapture({
    host: hostname(),
    findAgents: (ids) => ledger.findAgents(ids),
    known,
    ...(options.bypass ? { bypass: options.bypass } : {}),
  })
  const intake = createIntake({ ledger, capture, readers, flow, appendTime })
  const gauges: (() => readonly Gauge[])[] = []
  const loopDelay = monitorEventLoopDelay({ resolution: 20 })
  loopDelay.enable()
  const kit: Kit = {
    options,
    address,
    startedAt: Date.now(),
    tokens: tokens.value,
    credentials,
    links: createLinks(),
    flow,
    stream,
    intake,
    ingest: createIngest(intake),
    requests: createRequests(),
    conflicts: createConflicts(ledger),
    webhooks: createWebhooks(paths),
    gauges,
    appendTime,
    loopDelay,
    works: createWorks(),
    page: createPage(options.page),
  }
  const routes = routesOf(kit)
  scopes.of = createScopes(routes)
  scopes.sharing = createSharing(config.achievements.allowed_origins, routes)
  serve(server, createApp(kit, guard, routes).fetch, stream.upgrade)
  log.info({ address }, 'listening')

  const stopHearing = options.achievements?.onUnlocked((items, { source, hermesDb, zone }) => {
    // What somebody counted of another database or by another clock is not news to everybody.
    if (hermesDb === undefined && zone === undefined) stream.unlocked(source, items)
  })

  let closing: Promise<void> | undefined
  const close = async () => {
    stopHearing?.()
    kit.requests.close()
    const drained = drain(server)
    await Promise.all([stream.close(), kit.conflicts.stop()])
    await drained
    kit.works.stop()
    loopDelay.disable()
    log.info('stopped')
  }
  return success({
    port,
    address,
    intake,
    addGauges: (read) => gauges.push(read),
    link: () => `${address}/?link=${kit.links.make().code}`,
    close: () => {
      closing ??= close()
      return closing
    },
  })
}

type Fetch = Parameters<typeof getRequestListener>[0]

function serve(server: Server, fetch: Fetch, upgrade: Stream['upgrade']): void {
  const listener = getRequestListener(fetch, {
    overrideGlobalObjects: false,
    errorHandler: unreadableAnswer,
  })
  server.on('request', (request, response) => void listener(request, response))
  server.on('upgrade', upgrade)
  server.on('clientError', refuseUnreadable)
}
