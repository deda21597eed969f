import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ScriptedAgent } from '@panoptes/engine/testing/scripted-agent'
import type { IndexStatus } from '@panoptes/schema'
import { makeHome, type TestHome } from '../e2e/command.ts'
import { type Daemon, startDaemon } from '../e2e/daemon.ts'
import { makeConversation, makeRemembered, type Remembered } from './chat-data.ts'
import type { State } from './chat-provider.ts'
import { processorMs } from './live-process.ts'
import { published } from './sessions-daemon.ts'

const PROVIDER = fileURLToPath(new URL('./chat-provider.ts', import.meta.url))
const TOOLS = fileURLToPath(
  new URL('../packages/engine/src/chat/runtimes/jarvis/mcp/server.test-kit.mjs', import.meta.url),
)
const INDEX_MS = 600_000

export interface Models {
  readonly address: string
  readonly state: () => Promise<State>
  /** The exact body of the last request to the model `soon`. */
  readonly last: () => Promise<string>
  readonly stop: () => Promise<unknown>
}

export async function startModels(): Promise<Models> {
  const child = spawn(process.execPath, [PROVIDER], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  const address = `http://127.0.0.1:${Number(port)}`
  return {
    address,
    state: async () => (await (await fetch(`${address}/state`)).json()) as State,
    last: async () => (await fetch(`${address}/last`)).text(),
    stop: () => {
      child.stdin.end()
      return exit
    },
  }
}

export interface Chats {
  readonly daemon: Daemon
  readonly token: string
  readonly remembered: Remembered
  /** The id of the long conversation. */
  readonly long: string
  readonly stop: () => Promise<unknown>
}

/** Starts a daemon as users run it, with an indexed history and a long conversation. */
export async function startChats(
  folder: string,
  models: string,
  agent: ScriptedAgent,
  { quick, messages }: { readonly quick: boolean; readonly messages: number },
): Promise<Chats> {
  const home = await makeHome()
  mkdirSync(home.panoptes, { recursive: true, mode: 0o700 })
  writeConfig(home, models, agent)
  const remembered = makeRemembered(home, quick)
  const long = await makeConversation(home, messages, remembered.words)
  const command = process.env.PANOPTES_TEST_COMMAND ?? (await published(folder))
  const daemon = await startDaemon({ command, home })
  const stop = async () => {
    await daemon.stop()
    await home.remove()
  }
  try {
    await isIndexed(daemon, { hermes: remembered.hermes, 'claude-code': remembered.claude })
    await isAtRest(daemon.pid)
  } catch (error) {
    await stop()
    throw error
  }
  return { daemon, token: await daemon.token('full'), remembered, long, stop }
}

function writeConfig(home: TestHome, models: string, { command, env }: ScriptedAgent): void {
  const slot = (model: string) => ({ provider: 'local', model })
  const config = {
    providers: { local: { kind: 'openai', base_url: `${models}/v1`, retries: 0 } },
    runtimes: { default: 'jarvis', jarvis: slot('soon-0'), acp: { scripted: { command, env } } },
    mcp_servers: { kit: { command: process.execPath, args: [TOOLS, 'stdio'], allow: ['hang'] } },
    moa: { presets: { stuck: { reference_models: [slot('hang')], aggregator: slot('soon-0') } } },
  }
  // JSON is valid YAML.
  writeFileSync(join(home.panoptes, 'config.yaml'), JSON.stringify(config))
}

async function isIndexed(daemon: Daemon, wanted: Readonly<Record<string, number>>): Promise<void> {
  const limit = Date.now() + INDEX_MS
  while (Date.now() < limit) {
    const statuses = (await (await daemon.request('/api/past/status')).json()) as IndexStatus[]
    const isThere = ([source, sessions]: [string, number]) =>
      statuses.some((one) => one.source === source && one.state === 'idle' && one.done >= sessions)
    if (Object.entries(wanted).every(isThere)) return
    await sleep(200)
  }
  throw new Error(`the index was not made within ${INDEX_MS / 1_000} s`)
}

const REST_MS = 300_000

/**
 * Waits until the daemon has processed the new history for Live, accounts and achievements, because all of
 * them use processor time.
 */
async function isAtRest(pid: number): Promise<void> {
  const limit = Date.now() + REST_MS
  for (let quiet = 0; quiet < 4; ) {
    if (Date.now() > limit) throw new Error(`the daemon was not at rest within ${REST_MS / 1_000} s`)
    const before = processorMs(pid)
    await sleep(1_000)
    quiet = processorMs(pid) - before < 60 ? quiet + 1 : 0
  }
}

/** Returns the descendants of a process. */
export function childrenOf(pid: number): ReadonlySet<number> {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (state !== 'Z') parents.set(Number(name), Number(parent))
    } catch {
      // The process has ended in the meantime.
    }
  }
  const found = new Set<number>()
  const add = (of: number): void => {
    for (const [child, parent] of parents)
      if (parent === of && !found.has(child)) {
        found.add(child)
        add(child)
      }
  }
  add(pid)
  return found
}
