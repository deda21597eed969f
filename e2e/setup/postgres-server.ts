import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from './free-port.ts'
import { copyDatabase, NEW_FILES } from './postgres-copy.ts'
import { findPostgres } from './postgres-programs.ts'
import { run } from './run.ts'

const READY_MS = 60_000

/** A PostgreSQL server for the tests, in a temporary folder and on a free loopback port. */
export interface PostgresServer {
  readonly url: string
  /** Kills it like a power cut; `start` brings it up again on the same port. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  /** Stops it and removes its folder. */
  readonly stop: () => Promise<void>
}

export interface PostgresOptions {
  /** Commits survive a crash of the machine. Tests that only kill processes do not need that. */
  readonly isDurable?: boolean
  /** The address of the server that it follows until it is promoted. */
  readonly standbyOf?: string
}

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const found = await findPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-postgres-'))
  const user = await ordinaryUser()
  if (user !== undefined) {
    chownSync(folder, user.uid, user.gid)
    chmodSync(folder, 0o700)
  }
  const as =
    user === undefined ? [] : ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']
  const data = join(folder, 'data')
  const bin = await reachable(found, folder, as)
  if (options.standbyOf) {
    await copyDatabase(options.standbyOf, data, as)
    if (user !== undefined) for (const file of NEW_FILES) chownSync(join(data, file), user.uid, user.gid)
  } else {
    const args = ['-D', data, '-A', 'trust', '-U', 'panoptes', '-E', 'UTF8', '--locale=C', '-N']
    const made = await run(...commandOf(as, join(bin, 'initdb'), ...args), { seconds: 120, cwd: folder })
    if (made.code !== 0) throw new Error(`initdb failed: ${made.output}`)
  }
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    fsync: options.isDurable ? 'on' : 'off',
    full_page_writes: options.isDurable ? 'on' : 'off',
    log_min_messages: 'fatal',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = commandOf(as, join(bin, 'postgres'), '-D', data, '-p', String(port), ...flags)
  let server: ChildProcess | undefined
  const start = async () => {
    // Child processes of a killed server end by themselves in a moment, and block a start until then.
    for (const end = performance.now() + READY_MS; ; await setTimeout(100)) {
      const started = spawn(...command, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder })
      const said = await ready(started, port)
      server = started
      if (said === undefined) return
      if (performance.now() > end) throw new Error(`PostgreSQL did not start: ${said}`)
    }
  }
  const end = async (signal: NodeJS.Signals) => {
    const ended = server
    if (ended === undefined) return
    server = undefined
    const over = once(ended, 'exit')
    process.kill(postmaster(data) ?? ended.pid ?? 0, signal)
    await over
  }
  await start()
  return {
    url: `postgres://panoptes@127.0.0.1:${port}/postgres`,
    kill: () => end('SIGKILL'),
    start,
    stop: async () => {
      await end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const commandOf = (as: readonly string[], ...program: readonly string[]): [string, string[]] => {
  const [command = '', ...args] = [...as, ...program]
  return [command, args]
}

/**
 * The server's user may not be able to read the clone's folder, such as one under `/root`; it then gets a copy of
 * the programs.
 */
async function reachable(bin: string, folder: string, as: readonly string[]): Promise<string> {
  if (as.length === 0) return bin
  const tried = await run(...commandOf(as, join(bin, 'postgres'), '--version'), { seconds: 30, cwd: folder })
  if (tried.code === 0) return bin
  const copy = join(folder, 'programs')
  await cp(join(bin, '..'), copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

/** PostgreSQL refuses to run as root, so another user runs it then. */
async function ordinaryUser(): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (userInfo().uid !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (which) => Number((await run('id', [which, name], { seconds: 10 })).output)),
    )
    if (uid !== undefined && gid !== undefined && uid > 0) return { uid, gid }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody".')
}

/** Returns undefined once the server answers, or its output if it ended. */
async function ready(server: ChildProcess, port: number): Promise<string | undefined> {
  let said = ''
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = text
  })
  for (const end = performance.now() + READY_MS; performance.now() < end; await setTimeout(50)) {
    if (server.exitCode !== null) break
    if (await answers(port)) return undefined
  }
  return said
}

async function answers(port: number): Promise<boolean> {
  const address = { host: '127.0.0.1', port, user: 'panoptes', database: 'postgres' }
  const client = new Client({ ...address, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

function postmaster(data: string): number | undefined {
  try {
    return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  } catch {
    return undefined
  }
}
