import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CommandOptions, collect, exitOf, makeHome, spawnCommand, type TestHome } from './command.ts'

/** A `panoptes up` process. */
export interface Daemon {
  readonly home: TestHome
  readonly pid: number
  readonly port: number
  /** The URL of the daemon, such as `http://127.0.0.1:43121`, without a trailing slash. */
  readonly address: string
  /** Signs a browser in, once. */
  readonly link: string
  readonly token: (scope: 'full' | 'ingest' | 'gateway') => Promise<string>
  /** Sends a request with the full token. */
  readonly request: (path: string, init?: RequestInit) => Promise<Response>
  readonly log: () => string
  /** Sends SIGTERM and returns the exit code. The home is removed if this daemon created it. */
  readonly stop: () => Promise<number | null>
  /** Sends SIGKILL; the home stays. */
  readonly kill: () => Promise<void>
}

export interface DaemonOptions extends CommandOptions {
  /** Starts on this home, which stays at the end. */
  readonly home?: TestHome
  readonly args?: readonly string[]
}

export async function startDaemon(options: DaemonOptions = {}): Promise<Daemon> {
  const home = options.home ?? (await makeHome())
  const args = ['up', '--port', '0', '--no-open', '--json', ...(options.args ?? [])]
  const child = spawnCommand(home, args, options)
  const stdout = collect(child, 'stdout')
  const log = collect(child, 'stderr')
  const exit = exitOf(child)
  const started = await Promise.race([
    firstDocument(child, stdout),
    exit.then((code) => Promise.reject(new Error(`panoptes up ended with ${code}: ${stdout()}${log()}`))),
  ])
  const token = async (scope: string) => (await readFile(join(home.panoptes, 'tokens', scope), 'utf8')).trim()
  const signal = async (name: NodeJS.Signals) => {
    // A command that found a running daemon prints that daemon's pid, which may be gone by now.
    if (child.exitCode === null && child.signalCode === null) killIfThere(started.pid, name)
    return exit
  }
  return {
    ...started,
    home,
    token,
    log,
    request: async (path, init = {}) => {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${await token('full')}`)
      return fetch(`${started.address}${path}`, { ...init, headers })
    },
    stop: async () => {
      const code = await signal('SIGTERM')
      if (!options.home) await home.remove()
      return code
    },
    kill: async () => {
      await signal('SIGKILL')
    },
  }
}

function killIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

interface Started {
  readonly ok: boolean
  readonly pid: number
  readonly port: number
  readonly address: string
  readonly link: string
}

/** Reads the one document that `up --json` prints when it is ready. */
function firstDocument(child: ReturnType<typeof spawnCommand>, stdout: () => string): Promise<Started> {
  const { promise, resolve, reject } = Promise.withResolvers<Started>()
  const limit = setTimeout(() => {
    child.kill('SIGKILL')
    reject(new Error(`panoptes up was not ready within 90 s: ${stdout()}`))
  }, 90_000)
  const look = () => {
    const document = parse(stdout())
    if (!document) return
    clearTimeout(limit)
    if (document.ok) resolve(document)
    else reject(new Error(`panoptes up said: ${stdout()}`))
  }
  child.stdout?.on('data', look)
  child.once('close', () => clearTimeout(limit))
  return promise
}

function parse(text: string): Started | undefined {
  try {
    return JSON.parse(text) as Started
  } catch {
    return undefined
  }
}
