import { homedir, hostname } from 'node:os'
import type { Achievements } from '@panoptes/engine/achievements'
import { discover } from '@panoptes/engine/discover'
import { diagnose } from '@panoptes/engine/doctor'
import { type Paths, removeDaemonFile, writeDaemonFile } from '@panoptes/engine/home'
import type { Knowledge } from '@panoptes/engine/knowledge'
import { type Ledger, type LedgerPlace, lockLedger, openLedger } from '@panoptes/engine/ledger'
import type { Review } from '@panoptes/engine/review'
import type { Sessions } from '@panoptes/engine/sessions'
import { bypassIn } from '@panoptes/engine/stated'
import type { Templates } from '@panoptes/engine/templates'
import type { Config, HealthCheck } from '@panoptes/schema'
import { type RunningServer, startServer } from '@panoptes/server'
import { planBrowser } from '../browser.ts'
import { asCommandFailure, orFail } from '../failure.ts'
import type { PreparedPage } from '../page/index.ts'
import { commandName, typedHere } from '../terminal/invocation.ts'
import { VERSION } from '../version.ts'
import { chatChecks, notesCheck } from './chat-checks.ts'
import { followAchievements } from './follow-achievements.ts'
import { followKnowledge } from './follow-knowledge.ts'
import { followReview, reviewChecks } from './follow-review.ts'
import { followSessions } from './follow-sessions.ts'
import { pastOf, templatesOf } from './follow-templates.ts'
import { daemonForget, finishForgetting } from './forgetting.ts'
import { connectionsOf } from './hooks.ts'
import { type Inputs, startInputs } from './inputs.ts'
import { type Log, openLog } from './log.ts'
import { chatOf } from './open-chat.ts'
import { moaOf } from './open-moa.ts'
import { wayOut } from './place.ts'
import { portTaken } from './port.ts'
import { keepWithinLimits } from './retention.ts'

export interface StartOptions {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly config: Config
  /** Where the ledger is; a file of the home where nobody says. */
  readonly place?: LedgerPlace | undefined
  /** The address of a bus in front of the ledger. */
  readonly bus?: string | null | undefined
  readonly host: string
  readonly port: number
  /** The host was asked for by name on the command line. */
  readonly allowRemote: boolean
  readonly page: Promise<PreparedPage>
  /** No event comes in but what is posted, and nobody is judged: for a made-up day. */
  readonly onlyPosted?: boolean
  /** What was typed to start it, without the port. */
  readonly command?: string
  /** Somebody asked over HTTP that Panoptes stops. */
  readonly onStop: () => void
}

/** Panoptes, running in this process. */
export interface Panoptes {
  readonly server: RunningServer
  readonly ledger: Ledger
  readonly page: PreparedPage
  readonly startedAt: number
  /** Lets requests end, then closes everything, the ledger last. */
  readonly close: () => Promise<void>
}

export async function startPanoptes(options: StartOptions): Promise<Panoptes> {
  const { paths, config } = options
  const page = await options.page
  const { place = { kind: 'sqlite', file: paths.ledger } } = options
  // A file is locked by who opens it; with a database it is the home that is for one process alone.
  const home = place.kind === 'postgres' ? orFail(lockLedger(paths.ledger)) : undefined
  const ledger = await openOr(place, () => home?.release())
  const log = openLog(paths.log, config.log.level)
  const sessions = await followSessions(options, ledger, log)
  const achievements = await followAchievements(options, ledger, log)
  const templates = sessions && templatesOf(options, ledger, pastOf(sessions))
  const review = await followReview(options, ledger, log)
  const knowledge = await followKnowledge(options, log)
  try {
    const parts = { page, ledger, sessions, achievements, templates, review, knowledge, log }
    const panoptes = await serve(options, parts)
    const close = async () => {
      await panoptes.close()
      home?.release()
    }
    return { ...panoptes, close }
  } catch (error) {
    await Promise.all([sessions?.close(), achievements?.close(), review?.close(), knowledge?.close()])
    await ledger.close()
    home?.release()
    log.close()
    throw error
  }
}

async function openOr(place: LedgerPlace, otherwise: () => void): Promise<Ledger> {
  const opened = await openLedger(place)
  if (!opened.ok) otherwise()
  return orFail(opened, wayOut(place))
}

interface Parts {
  readonly page: PreparedPage
  readonly ledger: Ledger
  readonly sessions: Sessions | undefined
  readonly achievements: Achievements | undefined
  readonly templates: Templates | undefined
  readonly review: Review | undefined
  readonly knowledge: Knowledge | undefined
  readonly log: Log
}

async function serve(options: StartOptions, parts: Parts): Promise<Panoptes> {
  const { page, ledger, sessions, achievements, templates, review, knowledge, log } = parts
  const { paths, config, env, host, port, onStop } = options
  const sources = () => discover({ env, providers: config.providers })
  let inputs: Inputs | undefined
  // What is told of turns is counted with all else that comes in.
  let running: RunningServer | undefined
  const models = moaOf({ paths, env, config, host: hostname() }, ledger.turns, (events) =>
    (running?.intake ?? ledger).append(events),
  )
  const rooms = { ledger, models, sessions, templates, review, knowledge }
  const warn = (text: string) => log.logger.warn(text)
  const chat = await chatOf({ env, config, warn }, rooms, (events) =>
    (running?.intake ?? ledger).append(events),
  )
  const kept = {
    sessions,
    achievements,
    templates,
    review,
    inputs: () => [...(inputs?.forgetters ?? []), models.forgetter],
  }
  const forget = daemonForget(ledger, kept)
  const started = await startServer({
    ledger,
    sessions,
    achievements,
    templates,
    review,
    providers: models.providers,
    moa: models.moa,
    moaRoom: models.moaRoom,
    chat,
    forget,
    bypass: bypassIn(env),
    paths,
    config,
    version: VERSION,
    command: commandName(env),
    typed: typedHere(env),
    host,
    port,
    page: page.folder,
    log: log.logger,
    discover: sources,
    diagnose: async () =>
      [
        ...(await diagnose({
          paths,
          env,
          version: VERSION,
          ledger,
          sources,
          hooks: () => connectionsOf({ paths, env }),
          page: async () => page,
          browser: planBrowser(env),
        })),
        ...(inputs?.checks() ?? []),
        ...reviewChecks(review),
        ...(await models.checks()),
        ...(await chatChecks(chat, config)),
        ...notesCheck(config, env.HOME || homedir()),
      ].map((check) => asTyped(check, typedHere(env))),
    allowRemote: options.allowRemote,
    onStop,
  })
  if (!started.ok) throw (await portTaken(host, port, options.command)) ?? asCommandFailure(started)
  const server = started.value
  running = server
  const startedAt = Date.now()
  await writeDaemonFile(paths, {
    pid: process.pid,
    port: server.port,
    address: server.address,
    version: VERSION,
    started_at: startedAt,
  })
  if (!options.onlyPosted) {
    inputs = startInputs({
      paths,
      env,
      ledger,
      server,
      notifyCommand: config.live.notify_command,
      transcripts: config.capture.transcripts,
      log: log.logger,
    })
  }
  if (forget) void finishForgetting(ledger, forget, log.logger)
  const stopLimits = keepWithinLimits(ledger, config, log.logger)
  log.logger.info({ address: server.address, version: VERSION }, 'started')
  const close = async (): Promise<void> => {
    await removeDaemonFile(paths, process.pid)
    await chat.close()
    await Promise.all([inputs?.stop(), server.close(), stopLimits()])
    await models.settled()
    await Promise.all([sessions?.close(), achievements?.close(), review?.close(), knowledge?.close()])
    await ledger.close()
    log.close()
  }
  return { server, ledger, page, startedAt, close }
}

/** Its advice, with commands as they are typed here. */
const asTyped = (check: HealthCheck, typed: (text: string) => string): HealthCheck => ({
  ...check,
  detail: typed(check.detail),
  cause: check.cause && typed(check.cause),
  next: check.next && typed(check.next),
})
