import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { makeHome } from '../e2e/command.ts'
import { startDaemon } from '../e2e/daemon.ts'
import type { Times } from './moa-provider.ts'
import { published } from './sessions-daemon.ts'

const PROVIDER = fileURLToPath(new URL('./moa-provider.ts', import.meta.url))
const PROBE = new URL('./moa-probe.js', import.meta.url).href

export interface Models {
  readonly address: string
  /** Returns how long the models worked on each turn since the previous call. */
  readonly times: () => Promise<ReadonlyMap<string, Times>>
  readonly stop: () => Promise<unknown>
}

export async function startModels(): Promise<Models> {
  const child = spawn(process.execPath, [PROVIDER], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  const address = `http://127.0.0.1:${Number(port)}`
  return {
    address,
    times: async () => new Map((await (await fetch(`${address}/times`)).json()) as [string, Times][]),
    stop: () => {
      child.stdin.end()
      return exit
    },
  }
}

export interface Preset {
  readonly references: readonly number[]
  readonly acting: number
}

/** Memory in bytes. */
export interface Memory {
  /** The resident memory of the process, including memory that its threads keep for later. */
  readonly rss: number
  /** The memory in use by the main thread, and by all threads together. */
  readonly held: number
  readonly all: number
  readonly threads: number
}

export interface Gateway {
  readonly pid: number
  readonly address: string
  readonly key: string
  readonly trace: (save: boolean) => Promise<void>
  /** Measures the memory after a garbage collection. */
  readonly memory: () => Promise<Memory>
  readonly stop: () => Promise<unknown>
}

/** Starts a daemon as users run it, with presets whose models take this many milliseconds. */
export async function startGateway(
  folder: string,
  models: string,
  presets: Readonly<Record<string, Preset>>,
): Promise<Gateway> {
  const home = await makeHome()
  mkdirSync(home.panoptes, { recursive: true, mode: 0o700 })
  const slot = (role: string) => (ms: number) => ({ provider: 'local', model: `${role}-${ms}` })
  const named = Object.entries(presets).map(([name, { references, acting }]) => [
    name,
    { reference_models: references.map(slot('reference')), aggregator: slot('acting')(acting) },
  ])
  const config = {
    providers: { local: { kind: 'openai', base_url: `${models}/v1` } },
    moa: { presets: Object.fromEntries(named) },
  }
  // JSON is valid YAML.
  writeFileSync(join(home.panoptes, 'config.yaml'), JSON.stringify(config))
  const memory = join(folder, 'memory')
  const command = process.env.PANOPTES_TEST_COMMAND ?? (await published(folder))
  const env = { NODE_OPTIONS: `--expose-gc --import=${PROBE}`, PANOPTES_BENCH_MEMORY: memory }
  const daemon = await startDaemon({ command, home, env })
  return {
    pid: daemon.pid,
    address: daemon.address,
    key: await daemon.token('gateway'),
    trace: async (save) => {
      const body = JSON.stringify({ save })
      const headers = { 'content-type': 'application/json' }
      const { ok } = await daemon.request('/api/moa/traces', { method: 'PUT', headers, body })
      if (!ok) throw new Error('traces cannot be switched')
    },
    memory: async () => {
      rmSync(memory, { force: true })
      process.kill(daemon.pid, 'SIGUSR2')
      while (!existsSync(memory)) await sleep(20)
      await sleep(100)
      return JSON.parse(readFileSync(memory, 'utf8'))
    },
    stop: async () => {
      await daemon.stop()
      await home.remove()
    },
  }
}
