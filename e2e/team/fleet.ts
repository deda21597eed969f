import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand, type TestHome } from '../command.ts'
import { type NatsServer, startNats } from '../setup/nats-server.ts'
import { type PostgresServer, startPostgres } from '../setup/postgres-server.ts'
import { type Link, openLink } from './breakable-link.ts'
import { type Member, makeMember } from './member.ts'

export interface FleetOptions {
  readonly hubs: number
  readonly computers: number
  readonly withBus: boolean
}

/**
 * A whole team on one machine: database, bus, hubs behind a balancer, and computers that forward to them, each over
 * a connection that can be cut.
 */
export interface Fleet {
  readonly postgres: PostgresServer
  readonly nats: NatsServer | undefined
  readonly hubs: readonly Member[]
  readonly computers: readonly Member[]
  /** Each hub reaches the database through its own link. */
  readonly toDatabase: readonly Link[]
  readonly toBus: readonly Link[]
  /** Each computer reaches the hubs through its own link. */
  readonly links: readonly Link[]
  /** Viewers reach the hubs through this link. */
  readonly balancer: Link
  /** The token of a viewer. */
  readonly viewer: string
  readonly close: () => Promise<void>
}

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const fleet = await makeFleet(options)
  try {
    return { ...fleet, viewer: await comeUp(fleet) }
  } catch (error) {
    await fleet.close()
    throw error
  }
}

/** Creates the fleet with only database and bus running. */
async function makeFleet({ hubs, computers, withBus }: FleetOptions): Promise<Omit<Fleet, 'viewer'>> {
  const nats = withBus ? await startNats() : undefined
  const postgres = await startPostgres()
  const toDatabase = await Promise.all(numbered(hubs, () => openLink(() => [postgres.url])))
  const toBus = await Promise.all(nats === undefined ? [] : numbered(hubs, () => openLink(() => [nats.url])))
  const argsOf = (n: number) => [
    ...['--ledger', through(toDatabase[n], postgres.url)],
    ...(nats === undefined ? [] : ['--bus', through(toBus[n], nats.url)]),
  ]
  const theirHubs = await Promise.all(numbered(hubs, (n) => makeMember(`hub-${n}`, argsOf(n))))
  const theirComputers = await Promise.all(numbered(computers, (n) => makeMember(`computer-${n}`)))
  const members = [...theirHubs, ...theirComputers]
  const up = () => theirHubs.flatMap((hub) => hub.daemon()?.address ?? [])
  const balancer = await openLink(up)
  const links = await Promise.all(numbered(computers, () => openLink(up)))
  return {
    postgres,
    nats,
    hubs: theirHubs,
    computers: theirComputers,
    toDatabase,
    toBus,
    links,
    balancer,
    close: async () => {
      await Promise.all(members.map((each) => each.kill()))
      await Promise.all([balancer, ...links, ...toDatabase, ...toBus].map((link) => link.close()))
      await Promise.all([postgres.stop(), nats?.stop()])
      await Promise.all(members.map(({ home }) => home.remove()))
    },
  }
}

/** Starts everything and returns a viewer's token. */
async function comeUp({
  postgres,
  hubs,
  computers,
  links,
  balancer,
}: Omit<Fleet, 'viewer'>): Promise<string> {
  const reached = [balancer, ...links].map(({ host }) => host)
  await Promise.all(hubs.map(({ home }) => settle(home, { server: { allowed_hosts: reached } })))
  await Promise.all(hubs.map((hub) => hub.start()))
  const [first] = hubs
  if (first === undefined) throw new Error('a fleet has a hub')
  const ingest = await makeToken(first.home, postgres.url, ['--scope', 'ingest'])
  for (const [n, { home }] of computers.entries()) {
    await settle(home, { forward: { to: links[n]?.address ?? null } })
    await writeFile(join(home.panoptes, 'tokens', 'forward'), `${ingest}\n`, { mode: 0o600 })
  }
  await inTurn(computers, (computer) => computer.start())
  return makeToken(first.home, postgres.url, ['--scope', 'full', '--role', 'viewer'])
}

/** Returns the URL with the address of a link, if there is one. */
const through = (link: Link | undefined, url: string): string =>
  Object.assign(new URL(url), { host: link?.host }).href

const numbered = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))

/** Works on two items at a time, because the test machine has two cores. */
async function inTurn<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all]
  const next = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one)
  }
  await Promise.all([next(), next()])
}

async function makeToken(home: TestHome, store: string, args: readonly string[]): Promise<string> {
  const ended = await runCommand(home, [
    ...['team', 'tokens', 'create', '--label', 'fleet', '--ledger', store, '--json'],
    ...args,
  ])
  if (ended.code !== 0) throw new Error(`no token was made: ${ended.stdout}${ended.stderr}`)
  const { token } = JSON.parse(ended.stdout) as { readonly token: string }
  return token
}

/** Writes its config.yaml; JSON is valid YAML. */
async function settle({ panoptes }: TestHome, config: object): Promise<void> {
  await mkdir(join(panoptes, 'tokens'), { recursive: true, mode: 0o700 })
  await writeFile(join(panoptes, 'config.yaml'), JSON.stringify(config))
}
