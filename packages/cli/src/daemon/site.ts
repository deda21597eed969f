import { homedir, hostname } from 'node:os'
import type { Bus } from '@panoptes/engine/bus'
import { discover } from '@panoptes/engine/discover'
import { diagnose } from '@panoptes/engine/doctor'
import { type Ledger, openLedger } from '@panoptes/engine/ledger'
import type { KeptSettings } from '@panoptes/engine/moa'
import { bypassIn } from '@panoptes/engine/stated'
import type { HealthCheck } from '@panoptes/schema'
import type { RunningSite, SiteOptions } from '@panoptes/server'
import { planBrowser } from '../browser.ts'
import { orFail } from '../failure.ts'
import type { PreparedPage } from '../page/index.ts'
import { typedHere } from '../terminal/invocation.ts'
import { VERSION } from '../version.ts'
import { chatChecks, notesCheck } from './chat-checks.ts'
import { followForward } from './follow-forward.ts'
import { reviewChecks } from './follow-review.ts'
import { daemonForgetting } from './forgetting.ts'
import { connectionsOf } from './hooks.ts'
import { type HubSessions, hubSessionsOf } from './hub-sessions.ts'
import { type Inputs, startInputs } from './inputs.ts'
import { startLeading } from './leading.ts'
import type { Log } from './log.ts'
import { busChecks, busFor } from './open-bus.ts'
import { chatOf } from './open-chat.ts'
import { moaOf } from './open-moa.ts'
import { wayOut } from './place.ts'
import { type OpenedRooms, openRooms } from './rooms.ts'
import type { Home } from './start.ts'

/** What of one space there is to open. */
export interface SiteWish extends Home {
  readonly place: NonNullable<Home['place']>
  readonly page: PreparedPage
  readonly log: Log
  /** The address of a bus in front of the ledger. */
  readonly bus?: string | null | undefined
  /** What agents of this computer leave goes into it, and only there is anything told of this computer. */
  readonly isOfHome: boolean
  /** Where keys of models are, where that is not the environment. */
  readonly keys?: NodeJS.ProcessEnv
  /** Presets and the like that all hubs share. */
  readonly settings?: KeptSettings | undefined
  /** No event comes in but what is posted, and nobody is judged: for a made-up day. */
  readonly onlyPosted: boolean
}

/** The ledger of a space and all that is kept over it. */
export interface OpenedSite {
  readonly ledger: Ledger
  readonly options: SiteOptions
  /** Takes in what comes and keeps it up to date, now that the server is there. */
  readonly begin: (running: Pick<RunningSite, 'intake' | 'addGauges'>) => void
  /** Answers that are being given end, so that nobody who listens is in the way of an end. */
  readonly quiet: () => Promise<void>
  /** What is in hand is stored. While it ends the server may end too. */
  readonly end: () => Promise<void>
  /** After the server. */
  readonly close: () => Promise<void>
}

export async function openSite(wish: SiteWish): Promise<OpenedSite> {
  const ledger = orFail(await openLedger(wish.place), wayOut(wish.place))
  let bus: Bus | undefined
  let stored: HubSessions | undefined
  let rooms: OpenedRooms | undefined
  try {
    bus = await busFor(wish, ledger)
    stored = await hubSessionsOf(wish, wish.log)
    rooms = await openRooms(wish, ledger, wish.log)
    return await furnish(wish, ledger, rooms, { bus, stored })
  } catch (error) {
    await rooms?.close()
    await stored?.close()
    await bus?.close()
    await ledger.close()
    throw error
  }
}

async function furnish(
  wish: SiteWish,
  ledger: Ledger,
  rooms: OpenedRooms,
  { bus, stored }: { readonly bus: Bus | undefined; readonly stored: HubSessions | undefined },
): Promise<OpenedSite> {
  const { paths, env, config, place, page, log } = wish
  const { sessions, achievements, templates, review } = rooms
  const sources = async () => {
    const found = await discover({ env, providers: config.providers })
    return wish.isOfHome ? found : found.filter(({ kind }) => kind === 'provider')
  }
  let inputs: Inputs | undefined
  let leading: ReturnType<typeof startLeading> | undefined
  let unfollow: (() => void) | undefined
  // What is told of turns is counted with all else that comes in.
  let running: Pick<RunningSite, 'intake'> | undefined
  const append: Ledger['append'] = (events) => (running?.intake ?? ledger).append(events)
  const { settings } = wish
  const models = moaOf({ paths, env: wish.keys ?? env, config, host: hostname(), settings }, ledger, append)
  const warn = (text: string) => log.logger.warn(text)
  const chat = await chatOf(
    { env, config, isHub: place.kind === 'postgres', warn },
    { ...rooms, ledger, models },
    append,
  )
  // A hub is where things are sent to.
  const forwards = place.kind === 'sqlite' && !wish.onlyPosted
  const forward = forwards ? await followForward(wish, ledger, log) : undefined
  const forgetting = daemonForgetting(ledger, {
    ...rooms,
    inputs: () => [...(inputs?.forgetters ?? []), models.forgetter, ...(forward ? [forward.forgetter] : [])],
  })
  const ofComputer = () =>
    diagnose({
      paths,
      env,
      version: VERSION,
      place,
      ledger,
      sources,
      hooks: () => connectionsOf({ paths, env }),
      page: async () => page,
      browser: planBrowser(env),
    })
  const checks = async () => [
    ...(wish.isOfHome ? [...(await ofComputer()), ...reviewChecks(review), ...(await models.checks())] : []),
    ...(inputs?.checks() ?? []),
    ...((await forward?.checks()) ?? []),
    ...busChecks(bus, wish.isOfHome),
    ...(await chatChecks(chat, config)),
    ...notesCheck(config, env.HOME || homedir()),
  ]
  return {
    ledger,
    options: {
      ledger,
      bus,
      transcripts: stored?.transcripts,
      sessions,
      achievements,
      templates,
      review,
      providers: models.providers,
      moa: models.moa,
      moaRoom: models.moaRoom,
      chat,
      forget: forgetting?.forget,
      forward,
      bypass: bypassIn(env),
      paths,
      discover: sources,
      diagnose: async () => (await checks()).map((check) => asTyped(check, typedHere(env))),
    },
    begin: (server) => {
      running = server
      stored?.begin()
      unfollow = forgetting?.follow(log.logger)
      if (forward) server.addGauges(forward.gauges)
      if (wish.isOfHome && !wish.onlyPosted)
        inputs = startInputs({ paths, env, ledger, place, server, transcripts: config.capture.transcripts })
      leading = startLeading({
        ledger,
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
      await ledger.close()
    },
  }
}

/** Its advice, with commands as they are typed here. */
const asTyped = (check: HealthCheck, typed: (text: string) => string): HealthCheck => ({
  ...check,
  detail: typed(check.detail),
  cause: check.cause && typed(check.cause),
  next: check.next && typed(check.next),
})
