import { hostname } from 'node:os'
import type { BusHealth } from '@panoptes/engine/bus'
import {
  createCapture,
  createClaudeCodeHooks,
  createHermesHooks,
  readRecentEvents,
  recentChildren,
} from '@panoptes/engine/capture'
import { createConflicts, createRequests } from '@panoptes/engine/live'
import { createPrices } from '@panoptes/engine/models'
import { type Result, success } from '@panoptes/schema'
import { type Context, Hono } from 'hono'
import { createNeeds } from './access.ts'
import type { AppContext, PassedRequest, ServerContext, SpaceServer } from './app-context.ts'
import { NAMED_SPACE } from './authorize.ts'
import { createSharing } from './cors.ts'
import { isNavigation } from './headers.ts'
import { appendThroughBus, createIngest, createIntake } from './ingest.ts'
import { APPEND_SECONDS, createHistogram, type Gauge } from './metrics.ts'
import type { SpaceServerOptions } from './options.ts'
import { notAllowed, notFound, unexpected } from './problem.ts'
import { createRefuser, type Refuser } from './refusals.ts'
import type { Route } from './route.ts'
import { createRoutes } from './routes/index.ts'
import { createStream, type StreamLimits } from './stream/stream.ts'
import { createFlow } from './throughput.ts'
import { createWebhooks } from './webhooks.ts'
import { createWorkRunner } from './work.ts'

export interface SpaceContext {
  readonly space: string
  readonly serverContext: ServerContext
  readonly limits: StreamLimits
  readonly readiness: AppContext['readiness']
}

export async function openSpaceServer(
  options: SpaceServerOptions,
  parts: SpaceContext,
): Promise<Result<SpaceServer>> {
  const { serverContext, space } = parts
  const { store } = options
  const { address, browsers, confirmations, links, people } = serverContext
  const { config, log, paths: home } = serverContext.options
  const head = await store.head()
  if (!head.ok) return head
  const readers = [
    createClaudeCodeHooks({ looks: people === undefined }),
    createHermesHooks(await recentChildren(store)),
  ]
  const recentEvents = await readRecentEvents(store)

  const flow = createFlow()
  const feed = options.bus ?? store
  const stream = createStream(head.value.last, { store, feed, flow, log, limits: parts.limits })
  const appendTime = createHistogram(APPEND_SECONDS)
  const capture = createCapture({
    host: hostname(),
    findAgents: (ids) => store.findAgents(ids),
    known: recentEvents,
    prices: createPrices(config.prices),
    ...(options.bypass ? { bypass: options.bypass } : {}),
  })
  const taking = { capture, readers, flow, appendTime }
  // Input of this computer and Panoptes's own events are few, so they go to the store directly.
  const direct = createIntake({ ...taking, append: (events, marks) => store.append(events, marks) })
  const { bus } = options
  const intake = bus ? createIntake({ ...taking, append: appendThroughBus(bus, store) }) : direct
  const gauges: (() => readonly Gauge[])[] = bus ? [() => busGauges(bus.health())] : []
  const context: AppContext = {
    options: { ...serverContext.options, ...options },
    home,
    space,
    address,
    startedAt: serverContext.startedAt,
    tokens: serverContext.tokens,
    credentials: serverContext.credentials,
    browsers,
    confirmations,
    links,
    flow,
    stream,
    intake,
    ingest: createIngest(intake),
    requests: createRequests(),
    conflicts: createConflicts(store, Date.now, feed),
    webhooks: createWebhooks(home),
    gauges,
    appendTime,
    loopDelay: serverContext.loopDelay,
    requestMetrics: serverContext.requestMetrics,
    workRunner: createWorkRunner(),
    page: serverContext.page,
    people,
    readiness: parts.readiness,
  }
  const routes = createRoutes(context)
  const stopHearing = options.achievements?.onUnlocked((items, { source, hermesDb, zone }) => {
    // Unlocks that somebody counted for another Hermes database or time zone are not news for everybody.
    if (hermesDb === undefined && zone === undefined) stream.announceUnlocked(source, items)
  })
  return success({
    space,
    needOf: createNeeds(routes),
    sharing: createSharing(config.achievements.allowed_origins, routes),
    router: createRouter(context, routes),
    stream,
    bus,
    running: {
      intake: direct,
      addGauges: (read) => gauges.push(read),
      link: () => `${address}/?link=${links.make().code}`,
    },
    end: async () => {
      stopHearing?.()
      context.requests.close()
      await Promise.all([stream.close(), context.conflicts.stop()])
    },
    stop: () => context.workRunner.stop(),
  })
}

export const busGauges = (health: BusHealth): readonly Gauge[] => [
  {
    name: 'panoptes_bus_up',
    help: '1 if the bus accepts events and the store receives them.',
    value: health.problem === null ? 1 : 0,
  },
  {
    name: 'panoptes_bus_waiting',
    help: 'Messages in the bus that are not in the store yet.',
    value: health.waiting,
  },
  {
    name: 'panoptes_bus_waiting_bytes',
    help: 'Size of the messages waiting in the bus.',
    value: health.waitingBytes,
  },
  {
    name: 'panoptes_bus_most_bytes',
    help: 'Maximum size of the messages waiting in the bus.',
    value: health.mostBytes,
  },
  {
    name: 'panoptes_bus_lag_seconds',
    help: 'Age of the oldest message waiting in the bus.',
    value: health.lagMs / 1_000,
  },
  { name: 'panoptes_bus_replicas', help: 'Number of servers that store the stream.', value: health.replicas },
  {
    name: 'panoptes_bus_writer',
    help: '1 if this process writes messages from the bus to the store.',
    value: health.isWriter ? 1 : 0,
  },
  {
    name: 'panoptes_bus_refused',
    help: 'Events from the bus that the store rejected since this process started.',
    value: health.refused,
  },
]

interface Environment {
  Bindings: PassedRequest
}

type Ctx = Context<Environment>
type Router = Hono<Environment>

/** Sends a request to its route, or answers it with the page. */
export function createRouter(context: AppContext, routes: readonly Route[]): Router {
  const router: Router = new Hono<Environment>()
  const { log } = context.options
  const respond: Refuser = createRefuser(context.options.rewriteCommands)
  const refuse = (refusal: Parameters<Refuser>[0], c: Ctx) => respond(refusal, c.env.requestId, c.req.path)

  for (const route of routes) {
    const names = targetParams(route.path)
    router.on(route.method, route.path, async (c) => {
      const { caller, incoming, setTarget, requestHead } = c.env
      const params = c.req.param() as Record<string, string>
      const named = names.map((name) => params[name]).join('/')
      // The target from the path is a default; the route may name a better one.
      if (named !== '') setTarget(named.slice(0, LONGEST_TARGET))
      const url = new URL(c.req.url)
      url.searchParams.delete(NAMED_SPACE)
      const cutOff = (error: string) => {
        log.error({ request_id: c.env.requestId, path: route.path, error }, 'response cut off')
        incoming.socket.destroy()
      }
      const reply = await route.answer({ url, params, caller, incoming, setTarget, requestHead, cutOff })
      return reply instanceof Response ? reply : refuse(reply, c)
    })
  }
  for (const [path, methods] of groupMethodsByPath(routes)) {
    router.all(path, (c) => refuse(notAllowed(c.req.method, c.req.path, methods), c))
  }
  const answerNotFound = (c: Ctx) => refuse(notFound(c.req.path), c)
  router.get('*', async (c) => (await servePage(c, context)) ?? answerNotFound(c))
  router.notFound(answerNotFound)
  router.onError((error, c) => {
    log.error({ request_id: c.env.requestId, error: error.message, stack: error.stack }, 'unexpected error')
    return refuse(unexpected, c)
  })
  return router
}

const LONGEST_TARGET = 500

/**
 * The path parameters that the audit log records. A session may be forgotten later, and then nothing may reveal
 * that it existed. For paths about sessions, and about templates whose names may contain one's title, only the kind
 * of agent is recorded.
 */
const targetParams = (path: string): readonly string[] =>
  OF_SESSIONS.test(path)
    ? [...path.matchAll(/:(source)\b/g)].map(([, name = '']) => name)
    : [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

const OF_SESSIONS = /^\/api\/(?:past\/sessions|agents|sessions|templates)\//

const MACHINE_PATH = /^\/(?:api|v1|hooks|events|stream|health|ready|metrics|auth)(?:\/|$)/

async function servePage(c: Ctx, context: AppContext): Promise<Response | undefined> {
  const { path } = c.req
  if (MACHINE_PATH.test(path)) return undefined
  const { headers } = c.env.incoming
  return context.page.answer({
    path: path === '/' ? '/index.html' : path,
    navigates: isNavigation(headers),
    acceptEncoding: String(headers['accept-encoding'] ?? ''),
    ifNoneMatch: headers['if-none-match'],
  })
}

function groupMethodsByPath(routes: readonly Route[]): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>()
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method])
  for (const list of methods.values()) if (list.includes('GET')) list.push('HEAD')
  return methods
}
