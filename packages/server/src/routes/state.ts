import type { IncomingHttpHeaders } from 'node:http'
import { hostname } from 'node:os'
import type { BusHealth } from '@panoptes/engine/bus'
import { CHALLENGE_HEADER, computeHomeProof, PROOF_HEADER } from '@panoptes/engine/home'
import {
  type BusStatus,
  type Failure,
  health,
  healthReply,
  maxLogBytes,
  ready,
  sourcesReply,
  statusReply,
  stopReply,
} from '@panoptes/schema'
import type { AppContext } from '../app-context.ts'
import { type Refusal, toRefusal, tryAgain } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'
import { createShared } from '../single-flight.ts'
import { newestBackup } from '../work.ts'

const CHECKS_FRESH_MS = 10_000
const SOURCES_FRESH_MS = 5_000
const LONGEST_CHALLENGE = 200

export const stateRoutes = (context: AppContext): readonly Route[] => [
  getHealth(context),
  getReady(context),
  getStatus(context),
  getSources(context),
  ...doctor(context),
  postStop(context),
]

const getHealth = ({ options, home, tokens }: AppContext): Route =>
  route({
    method: 'GET',
    path: '/health',
    scope: 'open',
    summary:
      'Whether this process answers, and its version. With a challenge, also a proof of the home it serves.',
    reply: { type: JSON_TYPE, schema: health },
    answer: ({ incoming }) => healthResponse({ version: options.version, home, tokens }, incoming.headers),
  })

/** Answers that the process runs, also before its space is open. */
export async function healthResponse(
  { version, home, tokens }: { readonly version: string } & Pick<AppContext, 'home' | 'tokens'>,
  headers: IncomingHttpHeaders,
): Promise<Response> {
  const reply = json({ ok: true, version })
  const challenge = headers[CHALLENGE_HEADER]
  if (typeof challenge === 'string' && challenge.length <= LONGEST_CHALLENGE)
    reply.headers.set(PROOF_HEADER, await computeHomeProof(home, tokens.read('full'), challenge))
  return reply
}

const getReady = ({ readiness }: AppContext): Route =>
  route({
    method: 'GET',
    path: '/ready',
    scope: 'open',
    summary:
      'Readiness for load balancers. 503 if neither the store nor the bus answers, or if this process is stopping. Also names what is unavailable and whether events are accepted.',
    reply: { type: JSON_TYPE, schema: ready },
    answer: async () => {
      const { because, next, takesEvents, away } = await readiness()
      if (because === null) return json({ ready: true, takes_events: takesEvents, away })
      const refusal = tryAgain(because)
      return { ...refusal, code: 'not_ready', next: next ?? refusal.next, away }
    },
  })

const getStatus = (context: AppContext): Route =>
  route({
    method: 'GET',
    path: '/api/status',
    scope: 'full',
    summary: 'Totals, storage and event flow.',
    reply: { type: JSON_TYPE, schema: statusReply },
    answer: async () => {
      const { store, paths, config, version, command = 'panoptes' } = context.options
      const [counters, info, alive, backup, forward] = await Promise.all([
        store.counters(),
        store.info(),
        store.aliveCount(),
        newestBackup(paths, context.workRunner.lastBackup()),
        context.options.forward?.status() ?? null,
      ])
      const refuse = context.people === undefined ? toRefusal : toHubRefusal
      if (!counters.ok) return refuse(counters)
      if (!info.ok) return refuse(info)
      if (!alive.ok) return refuse(alive)
      const bus = context.options.bus?.health()
      const { head, events, bytes, engine, path, schemaVersion, firstTs, lastTs } = info.value
      const { max_age_days, sessions_max_age_days } = config.retention
      // Only the space of the hub's own computer learns about that computer.
      const isOwn = context.people === undefined || context.people.home === context.space
      return json({
        version,
        node: process.version,
        platform: `${process.platform} ${process.arch}`,
        host: hostname(),
        ...(isOwn ? { pid: process.pid, home: paths.home } : {}),
        started_at: context.startedAt,
        now: Date.now(),
        address: context.address,
        command,
        counters: counters.value.value,
        storage: {
          path: isOwn ? path : context.space,
          engine,
          bytes,
          events,
          first_seq: head.first,
          last_seq: head.last,
          first_ts: firstTs,
          last_ts: lastTs,
          schema_version: schemaVersion,
          retention: {
            max_age_days,
            sessions_max_age_days,
            max_bytes: maxLogBytes(config, engine),
          },
          last_backup: backup,
        },
        flow: context.flow.info(context.stream.clients()),
        alive: alive.value,
        ...(forward === null ? {} : { forward }),
        ...(bus === undefined ? {} : { bus: toBusStatus(bus, isOwn) }),
      })
    },
  })

const toBusStatus = ({ where, isTaking, waiting, lagMs, problem }: BusHealth, isOwn: boolean): BusStatus => ({
  ...(isOwn ? { where } : {}),
  taking: isTaking,
  waiting,
  lag_ms: lagMs,
  problem: isOwn || problem === null ? problem : 'The bus of this hub does not work.',
})

/** Somebody who checks a hub's health needs to know what to look at, not to retry. */
function toHubRefusal(failed: Failure): Refusal {
  const refusal = toRefusal(failed)
  if (failed.code !== 'busy') return refusal
  return {
    ...refusal,
    detail: `The hub is running, but its database is unavailable. ${failed.message}`,
    next: 'Find the cause with: panoptes doctor --team. The hub recovers automatically when the database is back.',
  }
}

function getSources({ options }: AppContext): Route {
  const sources = createShared(options.discover, SOURCES_FRESH_MS)
  return route({
    method: 'GET',
    path: '/api/sources',
    scope: 'full',
    summary: 'Agents and model providers found on this computer.',
    reply: { type: JSON_TYPE, schema: sourcesReply },
    answer: async () => json({ sources: (await sources.get()).value }),
  })
}

function doctor({ options }: AppContext): readonly Route[] {
  const checks = createShared(options.diagnose, CHECKS_FRESH_MS)
  const reply = { type: JSON_TYPE, schema: healthReply }
  return [
    route({
      method: 'GET',
      path: '/api/health',
      scope: 'full',
      summary: 'Results of `panoptes doctor`, at most ten seconds old.',
      reply,
      answer: async () => healthJson(await checks.get()),
    }),
    route({
      method: 'POST',
      path: '/api/health',
      scope: 'full',
      action: null,
      summary: 'Run `panoptes doctor` now and return the results.',
      reply,
      answer: async () => healthJson(await checks.renew()),
    }),
  ]
}

const healthJson = ({ at, value }: { readonly at: number; readonly value: unknown }) =>
  json({ checked_at: at, checks: value })

function postStop({ options }: AppContext): Route {
  let isStopping = false
  return route({
    method: 'POST',
    path: '/api/stop',
    scope: 'full',
    home: true,
    summary: 'Stop Panoptes after its running requests finish.',
    reply: { type: JSON_TYPE, schema: stopReply },
    answer: () => {
      if (!isStopping && options.onStop) setImmediate(options.onStop)
      isStopping = true
      return json({ stopping: options.onStop !== undefined })
    },
  })
}
