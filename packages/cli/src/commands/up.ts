import { existsSync } from 'node:fs'
import type { Bus } from '@panoptes/engine/bus'
import { discover } from '@panoptes/engine/discover'
import { createHome, isOpenToOthers, type Paths, readConfig } from '@panoptes/engine/home'
import { formatPlace, type StoreLocation } from '@panoptes/engine/store'
import type { StatusReply } from '@panoptes/schema'
import type { Context } from '../context.ts'
import { announce } from '../daemon/announce.ts'
import { type Client, connect } from '../daemon/client.ts'
import { startDetached } from '../daemon/detach.ts'
import { findHeard } from '../daemon/heard.ts'
import { refreshHooks } from '../daemon/hooks.ts'
import { chooseHost, exposure, moveAdvice, typedUp } from '../daemon/host.ts'
import { freshLink, showLink } from '../daemon/link.ts'
import { busWarning } from '../daemon/open-bus.ts'
import { busOf, placeOf } from '../daemon/place.ts'
import { onSignals } from '../daemon/signals.ts'
import { type Panoptes, startPanoptes } from '../daemon/start.ts'
import type { UpDocument } from '../daemon/up-document.ts'
import { waitForOther } from '../daemon/wait.ts'
import { CommandFailure, EXIT, orFail } from '../failure.ts'
import { preparePage } from '../page/index.ts'
import { VERSION } from '../version.ts'
import { findLayoutProblem, loadConfig } from './config.ts'
import { askForOriginals } from './first-run.ts'

export interface UpOptions {
  readonly port?: number
  readonly host?: string
  readonly open: boolean
  readonly detach?: boolean
  readonly store?: string
  readonly bus?: string
}

export async function up(context: Context, options: UpOptions): Promise<void> {
  const { env, output, paths } = context
  if (env.KEI_GRAPH_STREAM_BYPASS === '1') {
    const reason = 'Panoptes was not started because KEI_GRAPH_STREAM_BYPASS=1 is set'
    return output.answer([reason], { ok: true, started: false, reason })
  }
  if (await useRunning(context, options)) return
  orFail(await createHome(paths))
  const loaded = await loadConfig(context)
  // Hermes may have started to write there. Everything else continues.
  const wrong = findLayoutProblem(context, loaded)
  if (wrong !== undefined) output.note(`${wrong} Achievements are off until then.`)
  const place = placeOf(context, loaded.config, options.store)
  const isFirst = place.kind === 'sqlite' && !existsSync(place.file)
  const config = isFirst ? await askForOriginals(context, loaded.config) : loaded.config
  const host = chooseHost(config, options.host)
  const bus = busOf(context, config, options.bus)
  requireDatabaseForBus(place, bus)
  if (options.detach) {
    await preparePage(output.note)
    return showResult(context, options, await startDetached(context, options))
  }
  const page = preparePage(output.note)
  const stopping = Promise.withResolvers<void>()
  const unlisten = onSignals(
    () => stopping.resolve(),
    () => process.exit(EXIT.interrupted),
  )
  try {
    const panoptes = await startWhenFree(context, options, () =>
      startPanoptes({
        paths,
        env,
        config,
        place,
        bus,
        host,
        port: options.port ?? config.server.port,
        allowRemote: options.host !== undefined,
        page,
        command: typedUp(options),
        onStop: stopping.resolve,
      }),
    )
    if (panoptes === undefined) return
    try {
      await showResult(context, options, await upDocument(context, panoptes, { host, place }))
      await stopping.promise
      output.note('Stopping …')
    } finally {
      await panoptes.close()
    }
  } finally {
    unlisten()
  }
}

function requireDatabaseForBus(place: StoreLocation, bus: string | null): void {
  if (bus === null || place.kind === 'postgres') return
  throw new CommandFailure('A bus needs a database behind it', {
    code: 'usage',
    next: 'Set one with --store postgres://…, or remove the bus.',
    exit: EXIT.usage,
  })
}

const LOCK_TIMEOUT_MS = 15_000

/** Starts Panoptes once the store is free. If another Panoptes holds it, the command opens that one and returns nothing. */
async function startWhenFree(
  context: Context,
  options: UpOptions,
  start: () => Promise<Panoptes>,
): Promise<Panoptes | undefined> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS
  let noted = false
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof CommandFailure && error.code === 'locked')) throw error
      if (!noted) context.output.note('Another process is using the store; waiting …')
      noted = true
      const other = await waitForOther(context.paths, deadline - performance.now())
      if (other === 'running' && (await useRunning(context, options))) return undefined
      if (other !== 'free') throw error
    }
  }
}

/** Opens a Panoptes that is already running. */
async function useRunning(context: Context, options: UpOptions): Promise<boolean> {
  const { paths } = context
  const client = await connect(paths)
  if (!client) return false
  const move = moveAdvice(options, client.address)
  if (move !== null) context.output.note(move)
  const running = await readStatus(client)
  const store = running?.storage.path ?? null
  const other =
    options.store === undefined || isAt(store, options.store)
      ? []
      : ['It uses another store. To switch: panoptes stop, then run this command again.']
  const older =
    client.version === VERSION
      ? []
      : [
          `It is version ${client.version}, this command is ${VERSION}. Restart it with: panoptes stop && panoptes up`,
        ]
  await showResult(context, options, {
    ok: true,
    already_running: true,
    pid: client.pid,
    port: Number(new URL(client.address).port),
    address: client.address,
    link: await freshLink(client),
    version: client.version,
    home: paths.home,
    ledger: store,
    hub: running?.storage.engine === 'postgres' ? await hubAddress(context, client.address) : null,
    page_problem: null,
    warning: [...older, ...other, busWarning(running?.bus) ?? ''].join(' ').trim() || null,
    ...(await findSurroundings(context)),
  })
  return true
}

/** Returns nothing if the status is unavailable, for example while the database is down. */
const readStatus = (client: Client): Promise<StatusReply | undefined> =>
  client.json<StatusReply>('/api/status').catch(() => undefined)

/** The address that forwarders use to reach the hub. */
async function hubAddress({ paths }: Context, own: string): Promise<string> {
  const read = await readConfig(paths)
  return (read.ok ? read.value.config.team.public_url : null) ?? own
}

/** Compares the databases and ignores the space. */
const isAt = (shown: string | null, url: string): boolean =>
  shown === null ||
  shown.replace(/ \(.*/, '') === formatPlace({ kind: 'postgres', url, space: '' }).replace(/ \(.*/, '')

async function upDocument(
  context: Context,
  panoptes: Panoptes,
  { host, place }: { readonly host: string; readonly place: StoreLocation },
): Promise<UpDocument> {
  const { paths } = context
  const { server, page } = panoptes
  return {
    ok: true,
    already_running: false,
    pid: process.pid,
    port: server.port,
    address: server.address,
    link: server.link(),
    version: VERSION,
    home: paths.home,
    ledger: formatPlace(place),
    hub: place.kind === 'postgres' ? await hubAddress(context, server.address) : null,
    page_problem: page.problem,
    warning: await buildWarning(paths, host, panoptes.bus),
    ...(await findSurroundings(context)),
  }
}

async function findSurroundings(context: Context): Promise<Pick<UpDocument, 'found' | 'hooks'>> {
  const { env, paths } = context
  // Another check reports errors in the config.
  const read = await readConfig(paths)
  const found = await discover({ env, providers: read.ok ? read.value.config.providers : {} })
  return { found, hooks: await refreshHooks(context, found, await findHeard(context)) }
}

async function buildWarning(paths: Paths, host: string, bus: Bus | undefined): Promise<string | null> {
  const open = (await isOpenToOthers(paths))
    ? `Other users of this computer can read ${paths.home}. See: panoptes doctor.`
    : null
  const health = bus?.health()
  const ofBus = busWarning(health && { ...health, taking: health.isTaking })
  return [exposure(host), open, ofBus].filter((warning) => warning !== null).join(' ') || null
}

async function showResult(context: Context, options: UpOptions, document: UpDocument): Promise<void> {
  const opened = await showLink(context, document.link, options.open)
  const detached = options.detach === true || document.already_running
  context.output.answer(announce(context.output, document, { opened, detached }), { ...document, opened })
}
