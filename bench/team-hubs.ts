import { mkdir, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { openLedger } from '@panoptes/engine/ledger'
import { openDatabase } from '@panoptes/engine/testing/postgres'
import { makeHome } from '../e2e/command.ts'
import { type Daemon, startDaemon } from '../e2e/daemon.ts'
import { postEvents } from './post-events.ts'

/** What hubs stand on. */
export interface Under {
  /** The command that they run. */
  readonly command: string
  readonly postgres: string
  readonly nats: string
}

/** Some hubs of one team, as processes, on a database of their own. */
export interface Team {
  readonly hubs: readonly Hub[]
  /** How far the ledger of the team is. */
  readonly head: () => Promise<number>
  readonly stop: () => Promise<void>
}

export interface Hub {
  readonly pid: number
  readonly port: number
  readonly token: string
  readonly post: (body: string) => Promise<void>
}

const MOST_TRIES = 3
let databases = 0

/** The address of a new database on the server. */
export async function newDatabase(postgres: string): Promise<string> {
  databases += 1
  const name = `team_${process.pid}_${databases}`
  const server = openDatabase(postgres, 'public')
  await server.run(`CREATE DATABASE ${name}`)
  await server.close()
  return Object.assign(new URL(postgres), { pathname: `/${name}` }).href
}

export async function startTeam(under: Under, count: number, withBus: boolean): Promise<Team> {
  const url = await newDatabase(under.postgres)
  const args = ['--ledger', url, ...(withBus ? ['--bus', under.nats] : [])]
  const daemons: Daemon[] = []
  for (let n = 0; n < count; n += 1) daemons.push(await startHub(under.command, args))
  const opened = await openLedger({ kind: 'postgres', url, space: 'main' })
  if (!opened.ok) throw new Error(opened.message)
  return {
    hubs: await Promise.all(daemons.map(hubOf)),
    head: async () => {
      const head = await opened.value.head()
      return head.ok ? head.value.last : 0
    },
    stop: async () => {
      await opened.value.close()
      await Promise.all(daemons.map((daemon) => daemon.kill()))
      await Promise.all(daemons.map(({ home }) => home.remove()))
    },
  }
}

/** Nobody is held back: what is measured is what they can take. */
const UNLIMITED = 'team:\n  rate_per_second: 1000000\n  rate_burst: 1000000\n'

async function startHub(command: string, args: readonly string[]): Promise<Daemon> {
  const home = await makeHome()
  await mkdir(home.panoptes, { recursive: true, mode: 0o700 })
  await writeFile(join(home.panoptes, 'config.yaml'), UNLIMITED)
  return startDaemon({ home, command, args })
}

async function hubOf(daemon: Daemon): Promise<Hub> {
  const token = await daemon.token('full')
  const agent = new Agent({ keepAlive: true })
  return {
    pid: daemon.pid,
    port: daemon.port,
    token,
    post: (body) => orAgain(() => postEvents({ port: daemon.port, agent, token }, body)),
  }
}

/** As everybody who sends does: a connection that broke says nothing of what was taken, and nothing is stored twice. */
async function orAgain(send: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      return await send()
    } catch (error) {
      if (tries >= MOST_TRIES) throw error
    }
}
