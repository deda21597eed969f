import { hostname } from 'node:os'
import type { BusHealth } from '@panoptes/engine/bus'
import { CHALLENGE_HEADER, PROOF_HEADER, proofOfHome } from '@panoptes/engine/home'
import {
  type BusStatus,
  type Failure,
  health,
  healthReply,
  ready,
  sizeLimitOf,
  sourcesReply,
  statusReply,
  stopReply,
} from '@panoptes/schema'
import { newestBackup } from '../backups.ts'
import type { Kit } from '../kit.ts'
import { shared } from '../once.ts'
import { type Refusal, refusalOf, tryAgain } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'

const CHECKS_FRESH_MS = 10_000
const SOURCES_FRESH_MS = 5_000
const LONGEST_CHALLENGE = 200

export const stateRoutes = (kit: Kit): readonly Route[] => [
  getHealth(kit),
  getReady(kit),
  getStatus(kit),
  getSources(kit),
  ...doctor(kit),
  postStop(kit),
]

const getHealth = ({ options, home, tokens }: Kit): Route =>
  route({
    method: 'GET',
    path: '/health',
    scope: 'open',
    summary:
      'Whether this process answers, and its version; with a challenge also proof of the home it serves.',
    reply: { type: JSON_TYPE, schema: health },
    answer: async ({ incoming }) => {
      const reply = json({ ok: true, version: options.version })
      const challenge = incoming.headers[CHALLENGE_HEADER]
      if (typeof challenge === 'string' && challenge.length <= LONGEST_CHALLENGE)
        reply.headers.set(PROOF_HEADER, await proofOfHome(home, tokens.read('full'), challenge))
      return reply
    },
  })

const getReady = ({ readiness }: Kit): Route =>
  route({
    method: 'GET',
    path: '/ready',
    scope: 'open',
    summary:
      'Whether requests should be sent here: 503 while neither the ledger nor the bus answers, or this process stops. What is away is named, and whether events are taken.',
    reply: { type: JSON_TYPE, schema: ready },
    answer: async () => {
      const { because, takesEvents, away } = await readiness()
      return because === null
        ? json({ ready: true, takes_events: takesEvents, away })
        : { ...tryAgain(because), code: 'not_ready', away }
    },
  })

const getStatus = (kit: Kit): Route =>
  route({
    method: 'GET',
    path: '/api/status',
    scope: 'full',
    summary: 'Totals, storage and flow, in one answer.',
    reply: { type: JSON_TYPE, schema: statusReply },
    answer: async () => {
      const { ledger, paths, config, version, command = 'panoptes' } = kit.options
      const [counters, info, alive, backup, forward] = await Promise.all([
        ledger.counters(),
        ledger.info(),
        ledger.aliveCount(),
        newestBackup(paths, kit.works.lastBackup()),
        kit.options.forward?.status() ?? null,
      ])
      const refuse = kit.people === undefined ? refusalOf : refusalOfHub
      if (!counters.ok) return refuse(counters)
      if (!info.ok) return refuse(info)
      if (!alive.ok) return refuse(alive)
      const bus = kit.options.bus?.health()
      const { head, forgotten, bytes, engine, path, schemaVersion, firstTs, lastTs } = info.value
      const { max_age_days, sessions_max_age_days } = config.retention
      // Of the computer of a hub nothing is told in spaces that it is not in.
      const isOwn = kit.people === undefined || kit.people.home === kit.space
      return json({
        version,
        node: process.version,
        platform: `${process.platform} ${process.arch}`,
        host: hostname(),
        ...(isOwn ? { pid: process.pid, home: paths.home } : {}),
        started_at: kit.startedAt,
        now: Date.now(),
        address: kit.address,
        command,
        counters: counters.value.value,
        storage: {
          path: isOwn ? path : kit.space,
          engine,
          bytes,
          events: head.last - head.first + 1 - forgotten,
          first_seq: head.first,
          last_seq: head.last,
          first_ts: firstTs,
          last_ts: lastTs,
          schema_version: schemaVersion,
          retention: {
            max_age_days,
            sessions_max_age_days,
            max_bytes: sizeLimitOf(config, engine),
          },
          last_backup: backup,
        },
        flow: kit.flow.info(kit.stream.clients()),
        alive: alive.value,
        ...(forward === null ? {} : { forward }),
        ...(bus === undefined ? {} : { bus: busStatusOf(bus, isOwn) }),
      })
    },
  })

const busStatusOf = ({ where, isTaking, waiting, lagMs, problem }: BusHealth, isOwn: boolean): BusStatus => ({
  ...(isOwn ? { where } : {}),
  taking: isTaking,
  waiting,
  lag_ms: lagMs,
  problem: isOwn || problem === null ? problem : 'The bus of this hub does not do its work.',
})

/** Whoever asks how a hub is wants to know what to look at, not to ask again. */
function refusalOfHub(failed: Failure): Refusal {
  const refusal = refusalOf(failed)
  if (failed.code !== 'busy') return refusal
  return {
    ...refusal,
    detail: `The hub runs, and its database is away. ${failed.message}`,
    next: 'See what is wrong with: panoptes doctor --team. The hub goes on by itself when the database is back.',
  }
}

function getSources({ options }: Kit): Route {
  const sources = shared(options.discover, SOURCES_FRESH_MS)
  return route({
    method: 'GET',
    path: '/api/sources',
    scope: 'full',
    summary: 'The agents and providers of models that were found on this computer.',
    reply: { type: JSON_TYPE, schema: sourcesReply },
    answer: async () => json({ sources: (await sources.get()).value }),
  })
}

function doctor({ options }: Kit): readonly Route[] {
  const checks = shared(options.diagnose, CHECKS_FRESH_MS)
  const reply = { type: JSON_TYPE, schema: healthReply }
  return [
    route({
      method: 'GET',
      path: '/api/health',
      scope: 'full',
      summary: 'What the doctor says; at most ten seconds old.',
      reply,
      answer: async () => healthJson(await checks.get()),
    }),
    route({
      method: 'POST',
      path: '/api/health',
      scope: 'full',
      action: null,
      summary: 'Ask the doctor again, now.',
      reply,
      answer: async () => healthJson(await checks.renew()),
    }),
  ]
}

const healthJson = ({ at, value }: { readonly at: number; readonly value: unknown }) =>
  json({ checked_at: at, checks: value })

function postStop({ options }: Kit): Route {
  let asked = false
  return route({
    method: 'POST',
    path: '/api/stop',
    scope: 'full',
    home: true,
    summary: 'Ask Panoptes to stop: running requests end first.',
    reply: { type: JSON_TYPE, schema: stopReply },
    answer: () => {
      if (!asked && options.onStop) setImmediate(options.onStop)
      asked = true
      return json({ stopping: options.onStop !== undefined })
    },
  })
}
