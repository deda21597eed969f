import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { downloadDebianProgram, installDebianPackages, isDebian } from './debian.ts'
import { freePort } from './free-port.ts'
import { MissingPart, makePart } from './parts.ts'
import { findProgram } from './programs.ts'
import { lastLine, run } from './run.ts'

const READY_MS = 30_000

/** A NATS server with JetStream for the tests, in a temporary folder and on a free loopback port. */
export interface NatsServer {
  readonly url: string
  /** Kills it; `start` brings it up again on the same port, with its stored data. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  /** Stops it and removes its folder. */
  readonly stop: () => Promise<void>
}

export interface NatsCluster {
  readonly url: string
  readonly servers: readonly NatsServer[]
  readonly stop: () => Promise<void>
}

/** Go builds this version where it is the only way to get NATS. */
const GO_VERSION = 'v2.10.29'
/** The oldest version that Panoptes was tested with. */
const MINIMUM = [2, 9]

/** Finds the program that `PANOPTES_NATS_SERVER` names, or one on the machine, or else gets one: no npm package has it. */
async function findNats(): Promise<string> {
  const named = process.env.PANOPTES_NATS_SERVER
  if (named)
    return (
      (await findProgram([named], { folders: [''] })) ??
      failed(`PANOPTES_NATS_SERVER names ${named}, which cannot be run.`)
    )
  const installed = await findInstalled()
  if (installed !== undefined) return installed
  // Without this check every worker would search again, and wait again for a missing network.
  if (process.env.PANOPTES_MISSING_NATS) throw new MissingPart(process.env.PANOPTES_MISSING_NATS)
  const reasons: string[] = []
  for (const get of [downloadNats, buildNats, installNats])
    try {
      const program = await get()
      if (program !== undefined) return program
    } catch (error) {
      reasons.push((error as Error).message)
    }
  process.env.PANOPTES_MISSING_NATS = `There is no NATS server: ${reasons.join('; ') || 'it needs apt-get or Go'}`
  throw new MissingPart(process.env.PANOPTES_MISSING_NATS)
}

const findInstalled = (): Promise<string | undefined> =>
  findProgram(['nats-server'], { folders: ['/usr/sbin'], minimum: MINIMUM })

async function downloadNats(): Promise<string | undefined> {
  return (await isDebian()) ? downloadDebianProgram('nats-server', 'usr/sbin/nats-server') : undefined
}

async function buildNats(): Promise<string | undefined> {
  const go = await findProgram(['go'], { versionArgs: ['version'] })
  if (go === undefined) return undefined
  const part = await makePart(`go-nats-server-${GO_VERSION}`, async (folder) => {
    console.log('Building NATS with Go into .cache/parts for the tests …')
    const work = join(folder, 'go')
    const env = {
      ...process.env,
      GOPATH: work,
      GOCACHE: join(work, 'build'),
      GOBIN: folder,
      GOFLAGS: '-modcacherw',
    }
    const args = ['install', `github.com/nats-io/nats-server/v2@${GO_VERSION}`]
    const { code, output } = await run(go, args, { seconds: 600, env, cwd: folder })
    if (code !== 0) throw new Error(`go could not build it: ${lastLine(output)}`)
    rmSync(work, { recursive: true, force: true })
  })
  return join(part, 'nats-server')
}

async function installNats(): Promise<string | undefined> {
  if (process.getuid?.() !== 0 || !(await isDebian())) return undefined
  await installDebianPackages(['nats-server'])
  return findInstalled()
}

function failed(reason: string): never {
  throw new Error(reason)
}

export const startNats = async (more: readonly string[] = []): Promise<NatsServer> =>
  startOne(await freePort(), more)

/** Starts three servers that each store every stream, so that any one of them may fail. */
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
