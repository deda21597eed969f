import type { Bus } from '@panoptes/engine/bus'
import { discover } from '@panoptes/engine/discover'
import { createHome, isOpenToOthers, type Paths, readConfig } from '@panoptes/engine/home'
import { type LedgerPlace, shownPlace } from '@panoptes/engine/ledger'
import type { StatusReply } from '@panoptes/schema'
import type { Context } from '../context.ts'
import { announce } from '../daemon/announce.ts'
import { type Client, connect } from '../daemon/client.ts'
import { startDetached } from '../daemon/detach.ts'
import { refreshHooks } from '../daemon/hooks.ts'
import { chooseHost, exposure, moveAdvice, typedUp } from '../daemon/host.ts'
import { freshLink, showLink } from '../daemon/link.ts'
import { busWarning } from '../daemon/open-bus.ts'
import { busOf, placeOf } from '../daemon/place.ts'
import { onSignals } from '../daemon/signals.ts'
import { type Panoptes, startPanoptes } from '../daemon/start.ts'
import type { UpDocument } from '../daemon/up-document.ts'
import { waitForOther } from '../daemon/wait.ts'
import { EXIT } from '../exit-codes.ts'
import { CommandFailure, orFail } from '../failure.ts'
import { preparePage } from '../page/index.ts'
import { VERSION } from '../version.ts'
import { loadConfig, misplaced } from './config.ts'

export interface UpOptions {
  readonly port?: number
  readonly host?: string
  readonly open: boolean
  readonly detach?: boolean
  readonly ledger?: string
  readonly bus?: string
}

export async function up(context: Context, options: UpOptions): Promise<void> {
  const { env, output, paths } = context
  if (env.KEI_GRAPH_STREAM_BYPASS === '1') {
    const reason = 'KEI_GRAPH_STREAM_BYPASS=1 is set: Panoptes is not started'
    return output.answer([reason], { ok: true, started: false, reason })
  }
  if (await useRunning(context, options)) return
  orFail(await createHome(paths))
  const loaded = await loadConfig(context)
  // Hermes may have begun to write there since: everything else goes on.
  const wrong = misplaced(context, loaded)
  if (wrong !== undefined) output.note(`${wrong} Until then there are no achievements.`)
  const { config } = loaded
  const host = chooseHost(config, options.host)
  const place = placeOf(context, config, options.ledger)
  const bus = busOf(context, config, options.bus)
  orAlone(place, bus)
  if (options.detach) {
    await preparePage(output.note)
    return present(context, options, await startDetached(context, options))
  }
  const page = preparePage(output.note)
  const stopping = Promise.withResolvers<void>()
  const unlisten = onSignals(
    () => stopping.resolve(),
    () => process.exit(EXIT.interrupted),
  )
  try {
    const panoptes = await whenFree(context, options, () =>
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
    await present(context, options, await documentOf(context, panoptes, { host, place }))
    await stopping.promise
    output.note('Stopping …')
    await panoptes.close()
  } finally {
    unlisten()
  }
}

function orAlone(place: LedgerPlace, bus: string | null): void {
  if (bus === null || place.kind === 'postgres') return
  throw new CommandFailure('A bus needs a database behind it', {
    code: 'usage',
    next: 'Name one with --ledger postgres://…, or leave the bus out.',
    exit: EXIT.usage,
  })
}

const PATIENCE_MS = 15_000

/** Starts it once no other process has the ledger; nothing where that is a Panoptes, which is opened instead. */
async function whenFree(
  context: Context,
  options: UpOptions,
  start: () => Promise<Panoptes>,
): Promise<Panoptes | undefined> {
  const patience = performance.now() + PATIENCE_MS
  let noted = false
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof CommandFailure && error.code === 'locked')) throw error
      if (!noted) context.output.note('Another process has the ledger; waiting for it …')
      noted = true
      const other = await waitForOther(context.paths, patience - performance.now())
      if (other === 'running' && (await useRunning(context, options))) return undefined
      if (other !== 'free') throw error
    }
  }
}

/** Where one runs already it is opened; that is what was wanted. */
async function useRunning(context: Context, options: UpOptions): Promise<boolean> {
  const { paths } = context
  const client = await connect(paths)
  if (!client) return false
  const move = moveAdvice(options, client.address)
  if (move !== null) context.output.note(move)
  const running = await statusOf(client)
  const ledger = running?.storage.path ?? null
  const other =
    options.ledger === undefined || isAt(ledger, options.ledger)
      ? []
      : ['It runs with another ledger. To change that: panoptes stop, then panoptes up --ledger again.']
  const older =
    client.version === VERSION
      ? []
      : [
          `It is version ${client.version}, this command is ${VERSION}: start it again with panoptes stop && panoptes up`,
        ]
  await present(context, options, {
    ok: true,
    already_running: true,
    pid: client.pid,
    port: Number(new URL(client.address).port),
    address: client.address,
    link: await freshLink(client),
    version: client.version,
    home: paths.home,
    ledger,
    hub: running?.storage.engine === 'postgres' ? await hubAddressOf(context, client.address) : null,
    page_problem: null,
    warning: [...older, ...other, busWarning(running?.bus) ?? ''].join(' ').trim() || null,
    ...(await around(context)),
  })
  return true
}

/** Nothing where it cannot say it now, as while its database is away. */
const statusOf = (client: Client): Promise<StatusReply | undefined> =>
  client.json<StatusReply>('/api/status').catch(() => undefined)

/** By which address forwarders reach the hub. */
async function hubAddressOf({ paths }: Context, own: string): Promise<string> {
  const read = await readConfig(paths)
  return (read.ok ? read.value.config.team.public_url : null) ?? own
}

/** Whatever the space is. */
const isAt = (shown: string | null, url: string): boolean =>
  shown === null ||
  shown.replace(/ \(.*/, '') === shownPlace({ kind: 'postgres', url, space: '' }).replace(/ \(.*/, '')

async function documentOf(
  context: Context,
  panoptes: Panoptes,
  { host, place }: { readonly host: string; readonly place: LedgerPlace },
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
    ledger: shownPlace(place),
    hub: place.kind === 'postgres' ? await hubAddressOf(context, server.address) : null,
    page_problem: page.problem,
    warning: await warningOf(paths, host, panoptes.bus),
    ...(await around(context)),
  }
}

async function around(context: Context): Promise<Pick<UpDocument, 'found' | 'hooks'>> {
  const { env, paths } = context
  // One with mistakes is told of elsewhere.
  const read = await readConfig(paths)
  const found = await discover({ env, providers: read.ok ? read.value.config.providers : {} })
  return { found, hooks: await refreshHooks(context, found) }
}

async function warningOf(paths: Paths, host: string, bus: Bus | undefined): Promise<string | null> {
  const open = (await isOpenToOthers(paths))
    ? `Others on this computer can look into ${paths.home}: see panoptes doctor.`
    : null
  const health = bus?.health()
  const ofBus = busWarning(health && { ...health, taking: health.isTaking })
  return [exposure(host), open, ofBus].filter((said) => said !== null).join(' ') || null
}

async function present(context: Context, options: UpOptions, document: UpDocument): Promise<void> {
  const opened = await showLink(context, document.link, options.open)
  const detached = options.detach === true || document.already_running
  context.output.answer(announce(context.output, document, { opened, detached }), { ...document, opened })
}
