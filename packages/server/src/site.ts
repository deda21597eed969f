import { hostname } from 'node:os'
import type { Bus } from '@panoptes/engine/bus'
import {
  createCapture,
  createClaudeCodeHooks,
  createHermesHooks,
  knownChildren,
  knownEvents,
} from '@panoptes/engine/capture'
import { createConflicts, createRequests } from '@panoptes/engine/live'
import { type Result, success } from '@panoptes/schema'
import { createNeeds, type NeedOf } from './access.ts'
import { busGauges } from './bus-gauges.ts'
import { createFlow } from './flow.ts'
import type { Front } from './front.ts'
import { appendBy, createIngest, createIntake } from './ingest.ts'
import type { Kit } from './kit.ts'
import { APPEND_SECONDS, createHistogram, type Gauge } from './metrics.ts'
import type { RunningSite, SiteOptions } from './options.ts'
import { createRouter, type Router } from './router.ts'
import { routesOf } from './routes/index.ts'
import { createSharing, type Sharing } from './sharing.ts'
import { createStream, type Stream, type StreamLimits } from './stream/stream.ts'
import { createWebhooks } from './webhooks.ts'
import { createWorks } from './work.ts'

/** All that is of one space: its routes, its stream, its way into the ledger. */
export interface Site {
  readonly space: string
  readonly needOf: NeedOf
  readonly sharing: Sharing
  readonly router: Router
  readonly stream: Stream
  readonly bus: Bus | undefined
  readonly running: Omit<RunningSite, 'close'>
  /** Nobody is kept waiting any more: streams and questions end. */
  readonly end: () => Promise<void>
  /** After the last request. */
  readonly stop: () => void
}

export interface SiteWish {
  readonly space: string
  readonly front: Front
  readonly limits: StreamLimits
  readonly readiness: Kit['readiness']
}

export async function openSite(options: SiteOptions, wish: SiteWish): Promise<Result<Site>> {
  const { front, space } = wish
  const { ledger } = options
  const { address, links, people } = front
  const { config, log, paths: home } = front.options
  const head = await ledger.head()
  if (!head.ok) return head
  const readers = [
    createClaudeCodeHooks({ looks: people === undefined }),
    createHermesHooks(await knownChildren(ledger)),
  ]
  const known = await knownEvents(ledger)

  const flow = createFlow()
  const feed = options.bus ?? ledger
  const stream = createStream(head.value.last, { ledger, feed, flow, log, limits: wish.limits })
  const appendTime = createHistogram(APPEND_SECONDS)
  const capture = createCapture({
    host: hostname(),
    findAgents: (ids) => ledger.findAgents(ids),
    known,
    ...(options.bypass ? { bypass: options.bypass } : {}),
  })
  const taking = { capture, readers, flow, appendTime }
  // Inputs of this computer and what Panoptes itself says need no bus: they are not many.
  const direct = createIntake({ ...taking, append: (events, marks) => ledger.append(events, marks) })
  const { bus } = options
  const intake = bus ? createIntake({ ...taking, append: appendBy(bus, ledger) }) : direct
  const gauges: (() => readonly Gauge[])[] = bus ? [() => busGauges(bus.health())] : []
  const kit: Kit = {
    options: { ...front.options, ...options },
    home,
    space,
    address,
    startedAt: front.startedAt,
    tokens: front.tokens,
    credentials: front.credentials,
    links,
    flow,
    stream,
    intake,
    ingest: createIngest(intake),
    requests: createRequests(),
    conflicts: createConflicts(ledger, Date.now, feed),
    webhooks: createWebhooks(home),
    gauges,
    appendTime,
    loopDelay: front.loopDelay,
    answered: front.answered,
    works: createWorks(),
    page: front.page,
    people,
    readiness: wish.readiness,
  }
  const routes = routesOf(kit)
  const stopHearing = options.achievements?.onUnlocked((items, { source, hermesDb, zone }) => {
    // What somebody counted of another database or by another clock is not news to everybody.
    if (hermesDb === undefined && zone === undefined) stream.unlocked(source, items)
  })
  return success({
    space,
    needOf: createNeeds(routes),
    sharing: createSharing(config.achievements.allowed_origins, routes),
    router: createRouter(kit, routes),
    stream,
    bus,
    running: {
      intake: direct,
      addGauges: (read) => gauges.push(read),
      link: () => `${address}/?link=${links.make().code}`,
    },
    end: async () => {
      stopHearing?.()
      kit.requests.close()
      await Promise.all([stream.close(), kit.conflicts.stop()])
    },
    stop: () => kit.works.stop(),
  })
}
