import { type ChildProcess, spawn } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { collect, exitOf } from '../command.ts'
import { workFolder } from './claude.ts'
import { type HermesHome, hermesProgram, prepareHermes } from './hermes.ts'

const LIMIT_MS = 60_000
/** Hermes refuses short keys. */
const KEY = 'the-key-of-the-api-server-in-tests'

export interface HermesApiServer {
  /** The URL of the server, such as `http://127.0.0.1:43121`, without a trailing slash. */
  readonly url: string
  readonly key: string
  readonly log: () => string
  /** Kills it at once, since it would wait for a model that is still answering. Its sessions stay. */
  readonly kill: () => Promise<void>
}

export interface HermesApiServerOptions extends HermesHome {
  /** The port from before the kill; by default any free one. */
  readonly port?: number
}

/** Starts the API server of Hermes. Only one may run per home. */
export async function startHermesApiServer(options: HermesApiServerOptions): Promise<HermesApiServer> {
  const env = await prepareHermes(options)
  const port = options.port ?? (await freePort())
  const child = spawn(hermesProgram(), ['gateway', 'run', '-v'], {
    cwd: workFolder(options.home),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...env, API_SERVER_ENABLED: 'true', API_SERVER_KEY: KEY, API_SERVER_PORT: String(port) },
  })
  const stdout = collect(child, 'stdout')
  const stderr = collect(child, 'stderr')
  const log = () => `${stdout()}${stderr()}`
  const exit = exitOf(child)
  const kill = async () => {
    killGroup(child)
    await exit
  }
  const url = `http://127.0.0.1:${port}`
  const until = Date.now() + LIMIT_MS
  while (!(await answers(url))) {
    if (child.exitCode === null && child.signalCode === null && Date.now() < until) await wait(50)
    else {
      await kill()
      throw new Error(`The API server of Hermes did not come up: ${log()}`)
    }
  }
  return { url, key: KEY, log, kill }
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )

/** Kills the process group, with the tools that it runs. */
function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
}

async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resolve(port))
  })
  return promise
}
