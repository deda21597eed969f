import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Paths, resolvePaths, tokenFile } from '@panoptes/engine/home'
import { type EventStore, openStore, openTeam, type Team, type TokenRequest } from '@panoptes/engine/store'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import { config, type TokenScope } from '@panoptes/schema'
import { pino } from 'pino'
import type { HubOptions, RunningHub, SpaceServerOptions } from './options.ts'
import { openStream, type StreamReader, unwrap } from './server.test-kit.ts'
import { type HubLimits, openHub } from './start-hub.ts'
import { STREAM_LIMITS } from './stream/stream.ts'

export interface TestHub {
  readonly hub: RunningHub
  readonly address: string
  readonly port: number
  readonly team: Team
  readonly database: OwnDatabase
  readonly paths: Paths
  readonly store: (space: string) => EventStore
  readonly logged: () => string
  /** A token file of the home. */
  readonly ownToken: (scope: TokenScope) => Promise<string>
  readonly token: (wish: Partial<TokenRequest> & { readonly space: string }) => Promise<string>
  readonly request: (path: string, secret: string, init?: RequestInit) => Promise<Response>
  readonly stream: (secret: string) => Promise<StreamReader>
  /** Another hub of the same team that serves the same spaces. */
  readonly another: () => Promise<TestHub>
  readonly stop: () => Promise<void>
}

export interface HubSetting {
  readonly spaces?: readonly string[]
  readonly config?: Readonly<Record<string, unknown>>
  readonly options?: Partial<HubOptions>
  readonly site?: (
    space: string,
    store: EventStore,
    paths: Paths,
  ) => Partial<SpaceServerOptions> | Promise<Partial<SpaceServerOptions>>
  readonly limits?: Partial<HubLimits>
  /** Wraps the team, so that a test can change some of its methods. */
  readonly wrapTeam?: (team: Team) => Team
}

/** A limit so high that it holds up no test about something else. */
const MANY = { perSecond: 1e6, burst: 1e6 }

export async function startTestHub(setting: HubSetting = {}, shared?: OwnDatabase): Promise<TestHub> {
  const database = shared ?? (await ownDatabase())
  const { spaces = ['main', 'other'] } = setting
  const folder = await mkdtemp(join(tmpdir(), 'panoptes-hub-'))
  const paths = resolvePaths({ PANOPTES_HOME: join(folder, 'home') })
  const lines: string[] = []
  const team = unwrap(await openTeam({ url: database.url }))
  const there = unwrap(await team.spaces()).map(({ name }) => name)
  for (const space of spaces) if (!there.includes(space)) unwrap(await team.createSpace(space))
  const options: HubOptions = {
    team: setting.wrapTeam?.(team) ?? team,
    paths,
    config: config.parse({ team: { rate_per_second: 1e6, rate_burst: 1e6 }, ...setting.config }),
    version: '1.2.3',
    host: '127.0.0.1',
    port: 0,
    page: null,
    log: pino({ level: 'debug' }, { write: (line: string) => lines.push(line) }),
    ...setting.options,
  }
  const limits = {
    stream: STREAM_LIMITS,
    strangers: MANY,
    standingMs: 200,
    graceMs: 1_500,
    ...setting.limits,
  }
  const remove = async () => {
    await team.close()
    if (!shared) await database.drop()
    await rm(folder, { recursive: true, force: true })
  }
  const opened = await openHub(options, limits)
  if (!opened.ok) await remove()
  const hub = unwrap(opened)
  const stores = new Map<string, EventStore>()
  for (const space of spaces) {
    const store = unwrap(await openStore({ kind: 'postgres', url: database.url, space }))
    stores.set(space, store)
    const own = resolvePaths({ PANOPTES_HOME: join(folder, 'spaces', space) })
    const site: SpaceServerOptions = {
      store,
      paths: own,
      discover: async () => [],
      diagnose: async () => [],
      ...(await setting.site?.(space, store, own)),
    }
    unwrap(await hub.addSpace(space, site))
  }
  const request: TestHub['request'] = (path, secret, init = {}) =>
    fetch(`${hub.address}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { authorization: `Bearer ${secret}`, ...init.headers },
    })
  return {
    hub,
    address: hub.address,
    port: hub.port,
    team,
    database,
    paths,
    store: (space) => stores.get(space) as EventStore,
    logged: () => lines.join(''),
    ownToken: async (scope) => (await readFile(tokenFile(paths, scope), 'utf8')).trim(),
    token: async (wish) =>
      unwrap(await team.createToken({ label: 'a test', scope: 'full', role: 'member', ...wish })).token,
    request,
    stream: (secret) => openStream(`${hub.address.replace('http', 'ws')}/stream`, ['bearer', secret]),
    another: () => startTestHub(setting, database),
    stop: async () => {
      await hub.close()
      await Promise.all([...stores.values()].map((ledger) => ledger.close()))
      await remove()
    },
  }
}
