import { failure, type HubPart, type Result, success } from '@panoptes/schema'
import type { Readiness, SpaceServer } from './app-context.ts'
import { createAudit } from './auth/audit.ts'
import { createIdentities } from './auth/identities.ts'
import { createInFlightResponses } from './auth/in-flight-responses.ts'
import type { People } from './auth/people.ts'
import { createRateLimiter, type Rate } from './auth/rate-limiter.ts'
import { createSenders } from './auth/senders.ts'
import { createSignIn } from './auth/sign-in/sign-in.ts'
import { createTeamCallers } from './auth/team-callers.ts'
import { createHomeCallers } from './authenticate.ts'
import { createCookie } from './credentials.ts'
import { boundUrl } from './hosts.ts'
import { openListener } from './http-server.ts'
import type { Gauge } from './metrics.ts'
import type { HubOptions, RunningHub, RunningSpace, SpaceServerOptions } from './options.ts'
import { databaseAway } from './problem.ts'
import { createShared, once } from './single-flight.ts'
import { openSpaceServer } from './space-server.ts'
import { STREAM_LIMITS, type StreamLimits } from './stream/stream.ts'

export interface HubLimits {
  readonly stream: StreamLimits
  /** Applies to each address without valid credentials. */
  readonly strangers: Rate
  /** How often the callers of open streams and running responses are looked up again. */
  readonly standingMs: number
  /** How long a caller who lost access may still wait for a response to begin. */
  readonly graceMs: number
}

const HUB_LIMITS: HubLimits = {
  stream: STREAM_LIMITS,
  strangers: { perSecond: 10, burst: 200 },
  standingMs: 2_000,
  graceMs: 10_000,
}

const PING_FRESH_MS = 500
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Starts one of any number of servers of a team. It serves every space, and looks people up in the team's database.
 */
export const startHub = (options: HubOptions): Promise<Result<RunningHub>> => openHub(options, HUB_LIMITS)

export async function openHub(options: HubOptions, limits: HubLimits): Promise<Result<RunningHub>> {
  const { team, config, log } = options
  const { rate_per_second, rate_burst, public_url, audit_days, space: homeSpace } = config.team
  const opened = await openListener(options)
  if (!opened.ok) return opened
  const { serverContext: bare, serve, ready, close: closeListener } = opened.value
  const signIn = createSignIn(team, config, options.env ?? process.env, bare.address)
  if (!signIn.ok) {
    await closeListener()
    return signIn
  }
  const openSpaces = new Map<string, SpaceServer>()
  const underWay = createInFlightResponses(limits.graceMs)
  const recheck = () => {
    underWay.recheck()
    for (const spaceServer of openSpaces.values()) spaceServer.stream.recheck()
  }
  const identities = createIdentities(team)
  const people: People = {
    team,
    identities,
    inFlight: underWay,
    senders: createSenders(team),
    audit: createAudit(team, log),
    cookie: createCookie('panoptes_hub', 'Strict', public_url),
    recheckAccess: () => {
      identities.forget()
      recheck()
    },
    signIn: signIn.value,
    home: homeSpace,
    openSpace: (name) => options.onSpace?.(name),
  }
  const serverContext = { ...bare, people }
  let closing = false
  let limited = 0
  const gauges = (): readonly Gauge[] => [
    {
      name: 'panoptes_requests_limited_total',
      type: 'counter',
      help: 'Requests refused because too many arrived, in all spaces.',
      value: limited,
    },
    {
      name: 'panoptes_audit_waiting',
      help: 'Audit log entries that are not written yet.',
      value: people.audit.countWaiting(),
    },
    {
      name: 'panoptes_audit_dropped_total',
      type: 'counter',
      help: 'Audit log entries that were dropped.',
      value: people.audit.countDropped(),
    },
  ]
  // Every open page of a team polls this every few seconds.
  const database = createShared(async () => (await team.ping()).ok, PING_FRESH_MS)
  const readiness = async (bus: SpaceServerOptions['bus']): Promise<Readiness> => {
    const hasDatabase = (await database.get()).value
    const hasBus = bus?.health().isTaking
    const away: readonly HubPart[] = [
      ...(hasDatabase ? [] : (['database'] as const)),
      ...(hasBus === false ? (['bus'] as const) : []),
    ]
    if (closing) return { because: 'This hub is shutting down.', takesEvents: false, away }
    // A hub without its database still accepts events over its bus, and a hub without its bus still shows what is
    // stored. It is useless only without both.
    const isOfNoUse = !hasDatabase && !hasBus
    return { because: isOfNoUse ? databaseAway.detail : null, takesEvents: hasBus ?? hasDatabase, away }
  }
  serve(
    { home: () => openSpaces.get(homeSpace), of: (space) => openSpaces.get(space) },
    createTeamCallers({
      identities,
      home: createHomeCallers(bare.credentials, homeSpace),
      cookie: people.cookie,
      known: createRateLimiter({ perSecond: rate_per_second, burst: rate_burst }),
      strangers: createRateLimiter(limits.strangers),
      onLimited: () => {
        limited += 1
      },
    }),
    people,
  )
  const accessTimer = setInterval(recheck, limits.standingMs)
  const deleteOldAudit = () => {
    if (audit_days !== null) void team.retainAudit(Date.now() - audit_days * DAY_MS)
  }
  deleteOldAudit()
  const forgetting = setInterval(deleteOldAudit, HOUR_MS)
  for (const timer of [accessTimer, forgetting]) timer.unref()

  const removeSpace = async (space: string) => {
    const spaceServer = openSpaces.get(space)
    openSpaces.delete(space)
    await spaceServer?.end()
    spaceServer?.stop()
  }
  const addSpace: RunningHub['addSpace'] = async (space, spaceOptions): Promise<Result<RunningSpace>> => {
    if (closing) return failure('closed', 'This hub is shutting down.')
    if (openSpaces.has(space)) return failure('invalid', `The space ${space} is already open.`)
    const made = await openSpaceServer(spaceOptions, {
      space,
      serverContext,
      limits: limits.stream,
      readiness: () => readiness(spaceOptions.bus),
    })
    if (!made.ok) return made
    // These gauges are about the whole hub, so one space reports them.
    if (space === homeSpace) made.value.running.addGauges(gauges)
    openSpaces.set(space, made.value)
    if (space === homeSpace) ready()
    return success({ ...made.value.running, close: () => removeSpace(space) })
  }
  return success({
    port: bare.port,
    address: bare.address,
    listens: boundUrl(options.host, bare.port),
    addSpace,
    removeSpace,
    close: once(async () => {
      closing = true
      clearInterval(accessTimer)
      clearInterval(forgetting)
      const all = [...openSpaces.values()]
      await Promise.all([closeListener(), ...all.map((spaceServer) => spaceServer.end())])
      for (const spaceServer of all) spaceServer.stop()
      openSpaces.clear()
      await people.audit.close()
      log.info('stopped')
    }),
  })
}
