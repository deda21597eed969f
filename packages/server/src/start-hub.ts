import { failure, type HubPart, type Result, success } from '@panoptes/schema'
import { homeCallers } from './callers.ts'
import { openListener } from './front.ts'
import { listensAt } from './hosts.ts'
import type { Readiness } from './kit.ts'
import type { Gauge } from './metrics.ts'
import { once, shared } from './once.ts'
import type { HubOptions, RunningHub, RunningSite, SiteOptions } from './options.ts'
import { createAudit } from './people/audit.ts'
import { createBuckets, type Rate } from './people/buckets.ts'
import { teamCallers } from './people/callers.ts'
import { createCookie } from './people/cookies.ts'
import { createIdentities } from './people/identities.ts'
import type { People } from './people/people.ts'
import { createSenders } from './people/senders.ts'
import { createSignIn } from './people/sign-in/sign-in.ts'
import { createUnderWay } from './people/under-way.ts'
import { databaseAway } from './problem.ts'
import { openSite, type Site } from './site.ts'
import { STREAM_LIMITS, type StreamLimits } from './stream/stream.ts'

export interface HubLimits {
  readonly stream: StreamLimits
  /** For each address that shows nothing good. */
  readonly strangers: Rate
  /** How often those who listen to a stream, or wait for the end of an answer, are looked up again. */
  readonly standingMs: number
  /** How long somebody who is not known any more may wait for an answer to begin. */
  readonly patienceMs: number
}

const HUB_LIMITS: HubLimits = {
  stream: STREAM_LIMITS,
  strangers: { perSecond: 10, burst: 200 },
  standingMs: 2_000,
  patienceMs: 10_000,
}

const PING_FRESH_MS = 500
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** One of any number of servers of a team: a site for each space, and people who are looked up in the team. */
export const startHub = (options: HubOptions): Promise<Result<RunningHub>> => openHub(options, HUB_LIMITS)

export async function openHub(options: HubOptions, limits: HubLimits): Promise<Result<RunningHub>> {
  const { team, config, log } = options
  const { rate_per_second, rate_burst, public_url, audit_days, space: homeSpace } = config.team
  const opened = await openListener(options)
  if (!opened.ok) return opened
  const { front: bare, serve, close: closeListener } = opened.value
  const signIn = createSignIn(team, config, options.env ?? process.env, bare.address)
  if (!signIn.ok) {
    await closeListener()
    return signIn
  }
  const sites = new Map<string, Site>()
  const underWay = createUnderWay(limits.patienceMs)
  const recheck = () => {
    underWay.recheck()
    for (const site of sites.values()) site.stream.recheck()
  }
  const identities = createIdentities(team)
  const people: People = {
    team,
    identities,
    underWay,
    senders: createSenders(team),
    audit: createAudit(team, log),
    cookie: createCookie('panoptes_hub', 'Strict', public_url),
    changed: () => {
      identities.forget()
      recheck()
    },
    signIn: signIn.value,
    home: homeSpace,
    madeSpace: (name) => options.onSpace?.(name),
  }
  const front = { ...bare, people }
  let closing = false
  let limited = 0
  const gauges = (): readonly Gauge[] => [
    {
      name: 'panoptes_requests_limited_total',
      type: 'counter',
      help: 'Requests of any space that were turned away because there were too many.',
      value: limited,
    },
    {
      name: 'panoptes_audit_waiting',
      help: 'Entries of the audit log that are not written yet.',
      value: people.audit.waiting(),
    },
    {
      name: 'panoptes_audit_dropped_total',
      type: 'counter',
      help: 'Entries of the audit log that could not be kept.',
      value: people.audit.dropped(),
    },
  ]
  // Every page of a team asks every few seconds.
  const database = shared(async () => (await team.ping()).ok, PING_FRESH_MS)
  const readiness = async (bus: SiteOptions['bus']): Promise<Readiness> => {
    const hasDatabase = (await database.get()).value
    const hasBus = bus?.health().isTaking
    const away: readonly HubPart[] = [
      ...(hasDatabase ? [] : (['database'] as const)),
      ...(hasBus === false ? (['bus'] as const) : []),
    ]
    if (closing) return { because: 'This hub stops.', takesEvents: false, away }
    // Without its database a hub with a bus still takes events, and without its bus it still shows what there is: better than none.
    const isOfNoUse = !hasDatabase && !hasBus
    return { because: isOfNoUse ? databaseAway.detail : null, takesEvents: hasBus ?? hasDatabase, away }
  }
  serve(
    { home: () => sites.get(homeSpace), of: (space) => sites.get(space) },
    teamCallers({
      identities,
      home: homeCallers(bare.credentials, homeSpace),
      cookie: people.cookie,
      known: createBuckets({ perSecond: rate_per_second, burst: rate_burst }),
      strangers: createBuckets(limits.strangers),
      limited: () => {
        limited += 1
      },
    }),
    people,
  )
  const standing = setInterval(recheck, limits.standingMs)
  const forgetOld = () => {
    if (audit_days !== null) void team.retainAudit(Date.now() - audit_days * DAY_MS)
  }
  forgetOld()
  const forgetting = setInterval(forgetOld, HOUR_MS)
  for (const timer of [standing, forgetting]) timer.unref()

  const removeSite = async (space: string) => {
    const site = sites.get(space)
    sites.delete(space)
    await site?.end()
    site?.stop()
  }
  const addSite: RunningHub['addSite'] = async (space, siteOptions): Promise<Result<RunningSite>> => {
    if (closing) return failure('closed', 'This hub stops.')
    if (sites.has(space)) return failure('invalid', `The space ${space} has a site already.`)
    const made = await openSite(siteOptions, {
      space,
      front,
      limits: limits.stream,
      readiness: () => readiness(siteOptions.bus),
    })
    if (!made.ok) return made
    // They are of the whole hub: told once, not in every space.
    if (space === homeSpace) made.value.running.addGauges(gauges)
    sites.set(space, made.value)
    return success({ ...made.value.running, close: () => removeSite(space) })
  }
  return success({
    port: bare.port,
    address: bare.address,
    listens: listensAt(options.host, bare.port),
    addSite,
    removeSite,
    close: once(async () => {
      closing = true
      clearInterval(standing)
      clearInterval(forgetting)
      const all = [...sites.values()]
      await Promise.all([closeListener(), ...all.map((site) => site.end())])
      for (const site of all) site.stop()
      sites.clear()
      await people.audit.close()
      log.info('stopped')
    }),
  })
}
