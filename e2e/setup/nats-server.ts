import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { findProgram, install, mayInstall } from './debian.ts'
import { freePort } from './free-port.ts'

const READY_MS = 30_000

/** A NATS server with JetStream of the tests' own, in a temporary folder and on a free port of the loopback. */
export interface NatsServer {
  readonly url: string
  /** Ends it without a last word; `start` brings it up again on the same port, with what it had stored. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  /** Ends it and removes its folder. */
  readonly stop: () => Promise<void>
}

export interface NatsCluster {
  readonly url: string
  readonly servers: readonly NatsServer[]
  readonly stop: () => Promise<void>
}

async function findNats(): Promise<string> {
  const found = await search()
  if (found !== undefined) return found
  if (await mayInstall()) return install(['nats-server'], 'the tests of the bus', search)
  throw new Error(
    'The tests of the bus need NATS: install it (Debian: apt-get install nats-server; macOS: brew install nats-server), name its ' +
      'program with PANOPTES_NATS_SERVER, an address with PANOPTES_TEST_NATS, or, as root on Debian, set PANOPTES_TEST_INSTALL=1.',
  )
}

async function search(): Promise<string | undefined> {
  const named = process.env.PANOPTES_NATS_SERVER
  return named ? findProgram([named], ['']) : findProgram(['nats-server'], ['/usr/sbin'])
}

export const startNats = async (more: readonly string[] = []): Promise<NatsServer> =>
  startOne(await freePort(), more)

/** Three servers that keep a stream three times, so that any one of them may end. */
export async function startNatsCluster(): Promise<NatsCluster> {
  const ports = await Promise.all(Array.from({ length: 6 }, freePort))
  const [clients, routes] = [ports.slice(0, 3), ports.slice(3)]
  const servers = await Promise.all(
    clients.map((port, n) =>
      startOne(port, [
        '--cluster_name=test',
        `--server_name=n${n}`,
        `--cluster=nats://127.0.0.1:${routes[n]}`,
        `--routes=${routes.map((route) => `nats://127.0.0.1:${route}`).join(',')}`,
      ]),
    ),
  )
  return {
    url: servers.map(({ url }) => url).join(','),
    servers,
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

async function startOne(port: number, more: readonly string[]): Promise<NatsServer> {
  const program = await findNats()
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-nats-'))
  const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder, ...more]
  let server: ChildProcess | undefined
  const start = async () => {
    const started = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    server = started
    let said = ''
    started.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-2_000)
    })
    for (const end = performance.now() + READY_MS; performance.now() < end; await setTimeout(20)) {
      if (started.exitCode !== null) break
      if (await answers(port)) return
    }
    throw new Error(`NATS did not start: ${said}`)
  }
  const end = async (signal: NodeJS.Signals) => {
    const ended = server
    if (ended === undefined) return
    server = undefined
    const over = once(ended, 'exit')
    ended.kill(signal)
    await over
  }
  await start()
  return {
    url: `nats://127.0.0.1:${port}`,
    kill: () => end('SIGKILL'),
    start,
    stop: async () => {
      await end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'data', { signal: AbortSignal.timeout(1_000) })
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
