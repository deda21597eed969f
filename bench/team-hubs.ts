import { mkdir, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { openStore } from '@panoptes/engine/store'
import { openDatabase } from '@panoptes/engine/testing/postgres'
import { makeHome } from '../e2e/command.ts'
import { type Daemon, startDaemon } from '../e2e/daemon.ts'
import { postEvents } from './post-events.ts'

/** The services and the command that hubs need. */
export interface Under {
  /** The command that starts a hub. */
  readonly command: string
  readonly postgres: string
  readonly nats: string
}

/** Hubs of one team, as processes on a separate database. */
export interface Team {
  readonly hubs: readonly Hub[]
  /** Returns the last seq of the store. */
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

/** Creates a database on the server and returns its address. */
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
  const opened = await openStore({ kind: 'postgres', url, space: 'main' })
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

/** Rate limits are off, because the benchmark measures the capacity of the hubs. */
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

/**
 * Retries like every sender: a broken connection does not tell what was accepted, and duplicates are not
 * stored.
 */
async function orAgain(send: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      return await send()
    } catch (error) {
      if (tries >= MOST_TRIES) throw error
    }
}
