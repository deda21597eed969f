import { homedir, hostname } from 'node:os'
import type { Bus } from '@panoptes/engine/bus'
import { discover } from '@panoptes/engine/discover'
import { diagnose } from '@panoptes/engine/doctor'
import { bypassIn } from '@panoptes/engine/markers'
import type { SettingsStore } from '@panoptes/engine/moa'
import { type EventStore, openStore } from '@panoptes/engine/store'
import type { HealthCheck } from '@panoptes/schema'
import type { RunningSpace, SpaceServerOptions } from '@panoptes/server'
import { planBrowser } from '../browser.ts'
import { orFail } from '../failure.ts'
import type { PreparedPage } from '../page/index.ts'
import { createCommandRewriter } from '../terminal/invocation.ts'
import { VERSION } from '../version.ts'
import { chatChecks, notesCheck } from './chat-checks.ts'
import { followForward } from './follow-forward.ts'
import { reviewChecks } from './follow-review.ts'
import { daemonForgetting } from './forgetting.ts'
import { heardIn } from './heard.ts'
import { connectionsOf, withHooks } from './hooks.ts'
import { type HubSessions, hubSessionsOf } from './hub-sessions.ts'
import { type Inputs, startInputs } from './inputs.ts'
import { startLeading } from './leader-jobs.ts'
import type { Log } from './log.ts'
import { busChecks, busFor } from './open-bus.ts'
import { chatOf } from './open-chat.ts'
import { moaOf } from './open-moa.ts'
import { wayOut } from './place.ts'
import { retentionChecks } from './retention.ts'
import { type OpenedRooms, openRooms } from './rooms.ts'
import { withSavedSessions } from './saved-sessions.ts'
import type { Home } from './start-options.ts'

/** What to open for one space. */
export interface SiteWish extends Home {
  readonly place: NonNullable<Home['place']>
  readonly page: PreparedPage
  readonly log: Log
  /** The address of a bus in front of the store. */
  readonly bus?: string | null | undefined
  /**
   * Whether this is the space of the local computer. Only it stores local sessions and shows information
   * about this computer.
   */
  readonly isOfHome: boolean
  /** The keys of models, if they are not in the environment. */
  readonly keys?: NodeJS.ProcessEnv
  /** Settings that all hubs share, such as presets. */
  readonly settings?: SettingsStore | undefined
  /** Whether only posted events are accepted and agents are not judged, as in a demo. */
  readonly onlyPosted: boolean
}

/** The store of a space with the modules on top of it. */
export interface OpenedSite {
  readonly store: EventStore
  readonly options: SpaceServerOptions
  /** Starts the inputs and the background jobs after the server has started. */
  readonly begin: (running: Pick<RunningSpace, 'intake' | 'addGauges'>) => void
  /** Ends running answers, so that open streams do not delay the shutdown. */
  readonly quiet: () => Promise<void>
  /** Stores what was already read. The server may stop at the same time. */
  readonly end: () => Promise<void>
  /** Closes the store. Call it after the server has stopped. */
  readonly close: () => Promise<void>
}

export async function openSite(wish: SiteWish): Promise<OpenedSite> {
  const store = orFail(await openStore(wish.place), wayOut(wish.place))
  let bus: Bus | undefined
  let stored: HubSessions | undefined
  let rooms: OpenedRooms | undefined
  try {
    bus = await busFor(wish, store)
    stored = await hubSessionsOf(wish, wish.log)
    rooms = await openRooms(wish, store, wish.log)
    return await furnish(wish, store, rooms, { bus, stored })
  } catch (error) {
    await rooms?.close()
    await stored?.close()
    await bus?.close()
    await store.close()
    throw error
  }
}

/** Closes a site that has no server. */
export async function closed(site: OpenedSite): Promise<void> {
  await site.quiet()
  await site.end()
  await site.close()
}

async function furnish(
  wish: SiteWish,
  store: EventStore,
  rooms: OpenedRooms,
  { bus, stored }: { readonly bus: Bus | undefined; readonly stored: HubSessions | undefined },
): Promise<OpenedSite> {
  const { paths, env, config, place, page, log } = wish
  const { sessions, achievements, templates, review } = rooms
  const sources = async () => {
    const found = await discover({ env, providers: config.providers })
    if (!wish.isOfHome) return found.filter(({ kind }) => kind === 'provider')
    const known =
      sessions && place.kind === 'sqlite' ? await withSavedSessions(env, found, sessions.saved) : found
    return withHooks({ paths, env }, known, await heardIn(store, place, paths))
  }
  let inputs: Inputs | undefined
  let leading: ReturnType<typeof startLeading> | undefined
  let unfollow: (() => void) | undefined
  // Events of turns go through the intake of the server, so that the metrics count them.
  let running: Pick<RunningSpace, 'intake'> | undefined
  const append: EventStore['append'] = (events) => (running?.intake ?? store).append(events)
  const { settings } = wish
  const models = moaOf({ paths, env: wish.keys ?? env, config, host: hostname(), settings }, store, append)
  const warn = (text: string) => log.logger.warn(text)
  const chat = await chatOf(
    { env, config, isHub: place.kind === 'postgres', warn },
    { ...rooms, store, models },
    append,
  )
  // A hub receives events and never forwards them.
  const forwards = place.kind === 'sqlite' && !wish.onlyPosted
  const forward = forwards ? await followForward(wish, store, log) : undefined
  const forgetting = daemonForgetting(store, {
    ...rooms,
    inputs: () => [...(inputs?.forgetters ?? []), models.forgetter, ...(forward ? [forward.forgetter] : [])],
  })
  const ofComputer = async () => {
    const all = await diagnose({
      paths,
      env,
      version: VERSION,
      place,
      store,
      sources,
      hooks: async () => connectionsOf({ paths, env }, await heardIn(store, place, paths)),
      page: async () => page,
      browser: planBrowser(env),
    })
    // A demo accepts only posted events. Installing hooks would change the agents of the user and show
    // nothing here.
    return wish.onlyPosted ? all.filter(({ id }) => id !== 'hooks') : all
  }
  const checks = async () => [
    ...(wish.isOfHome ? [...(await ofComputer()), ...reviewChecks(review), ...(await models.checks())] : []),
    ...(inputs?.checks() ?? []),
    ...(await retentionChecks(store, config)),
    ...((await forward?.checks()) ?? []),
    ...busChecks(bus, wish.isOfHome),
    ...(await chatChecks(chat, config)),
    ...notesCheck(config, env.HOME || homedir()),
  ]
  return {
    store,
    options: {
      store,
      bus,
      transcripts: stored?.transcripts,
      sessions,
      achievements,
      templates,
      review,
      providers: models.providers,
      moa: models.moa,
      moaService: models.moaService,
      chat,
      forget: forgetting?.forget,
      forward,
      bypass: bypassIn(env),
      paths,
      discover: sources,
      diagnose: async () => (await checks()).map((check) => asTyped(check, createCommandRewriter(env))),
    },
    begin: (server) => {
      running = server
      stored?.begin()
      unfollow = forgetting?.follow(log.logger)
      if (forward) server.addGauges(forward.gauges)
      if (wish.isOfHome && !wish.onlyPosted)
        inputs = startInputs({ paths, env, store, place, server, transcripts: config.capture.transcripts })
      leading = startLeading({
        store,
        env,
        config,
        rooms,
        append,
        forget: forgetting?.forget,
        forward,
        log: log.logger,
        isMadeUp: wish.onlyPosted,
        isShared: place.kind === 'postgres',
      })
    },
    quiet: () => chat.close(),
    end: async () => {
      unfollow?.()
      await Promise.all([inputs?.stop(), leading?.stop(), forward?.stop(), stored?.end()])
    },
    close: async () => {
      await models.settled()
      await rooms.close()
      await stored?.close()
      await bus?.close()
      await store.close()
    },
  }
}

/** Rewrites the commands in the advice of a check as they are typed here. */
const asTyped = (check: HealthCheck, typed: (text: string) => string): HealthCheck => ({
  ...check,
  detail: typed(check.detail),
  cause: check.cause && typed(check.cause),
  next: check.next && typed(check.next),
})
