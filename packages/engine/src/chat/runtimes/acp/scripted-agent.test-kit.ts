import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Act, ScriptedRuntime } from '../conformance-kit.ts'
import type { Fields } from '../fields.ts'
import type { RuntimeAdapter } from '../port.ts'
import { type AcpOptions, createAcpAdapter } from './adapter.ts'

const AGENT = fileURLToPath(new URL('./scripted-agent.test-kit.mjs', import.meta.url))

/** What a scripted ACP agent can do besides what every scripted runtime can. */
export interface AcpAct extends Act {
  readonly updates?: readonly Fields[]
  /** Lines it writes to standard output unchanged. */
  readonly lines?: readonly string[]
  readonly complains?: string
  readonly error?: Fields
  readonly reply?: Fields
  readonly options?: readonly Fields[]
  /** Ignores requests to stop. */
  readonly deaf?: boolean
  readonly breaksWhenStopped?: boolean
  /** Starts a process that outlives it. */
  readonly spawns?: boolean
}

export interface ScriptedAgent extends Omit<ScriptedRuntime, 'play'> {
  readonly play: (...acts: readonly AcpAct[]) => void
  readonly prompts: () => readonly { readonly session: string; readonly prompt: readonly Fields[] }[]
  readonly restored: () => readonly string[]
  readonly chosen: () => readonly string[]
  readonly outcomes: () => readonly Fields[]
  readonly children: () => readonly number[]
  /** Returns the number of connected processes. */
  readonly processes: () => number
  readonly started: () => number
  /** Returns how the client introduced itself. */
  readonly introduced: () => Fields
  /** Returns the sessions that the client closed. */
  readonly closed: () => readonly string[]
  readonly capable: (initialized: Fields) => void
  /** Omits the models when it resumes a session. */
  readonly withoutModels: () => Promise<void>
  readonly refuseSessions: (error: Fields | null) => void
  readonly adapterWith: (more: Partial<AcpOptions>) => RuntimeAdapter
  /** The command that starts it. */
  readonly command: readonly string[]
  readonly env: AcpOptions['env']
}

const CAPABLE = {
  protocolVersion: 1,
  agentInfo: { name: 'scripted', version: '1' },
  agentCapabilities: { loadSession: true, promptCapabilities: { image: true, embeddedContext: true } },
  authMethods: [],
}

/** The introduction of an agent that speaks only version 2. */
export const SECOND: Fields = {
  protocolVersion: 2,
  only: 2,
  info: { name: 'scripted', version: '2' },
  capabilities: { session: { prompt: { image: {} } } },
  agentCapabilities: undefined,
  agentInfo: undefined,
}

/** A real process that speaks ACP and follows a script. */
export async function startScriptedAgent(options: Partial<AcpOptions> = {}): Promise<ScriptedAgent> {
  const store = await mkdtemp(join(tmpdir(), 'panoptes-acp-'))
  let acts: readonly AcpAct[] = [{ say: 'ok' }]
  let initialized: Fields = CAPABLE
  let introduced: Fields = {}
  let refuses: Fields | null = null
  const seen = {
    asked: [] as string[],
    prompts: [] as { session: string; prompt: readonly Fields[] }[],
    restored: [] as string[],
    closed: [] as string[],
    chosen: [] as string[],
    outcomes: [] as Fields[],
    children: [] as number[],
    done: 0,
    sessions: 0,
    started: 0,
  }
  const working = new Map<Socket, number>()
  const next = (): AcpAct => {
    const [act = {}, ...rest] = acts
    if (rest.length > 0) acts = rest
    return act
  }
  const server = createServer((socket) => {
    working.set(socket, 0)
    seen.started += 1
    const reply = (answer: object) => socket.write(`${JSON.stringify(answer)}\n`)
    socket.on('close', () => working.delete(socket)).on('error', () => {})
    createInterface({ input: socket })
      .on('error', () => {})
      .on('line', (line) => {
        const news = JSON.parse(line)
        if (news.initialize) {
          introduced = news.initialize
          reply({ initialized })
        }
        if (news.new) {
          seen.sessions += 1
          reply({ session: `session-${seen.sessions}`, refuses })
        }
        if (news.asked !== undefined) {
          seen.asked.push(news.asked)
          seen.prompts.push({ session: news.session, prompt: news.prompt })
          reply(next())
        }
        if (news.working) working.set(socket, (working.get(socket) ?? 0) + news.working)
        if (news.done) {
          seen.done += 1
          reply({})
        }
        if (news.restored) seen.restored.push(news.restored)
        if (news.closed) seen.closed.push(news.closed)
        if (news.model) seen.chosen.push(news.model)
        if (news.outcome) seen.outcomes.push(news.outcome)
        if (news.spawned) seen.children.push(news.spawned)
      })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const command = [process.execPath, AGENT]
  const env = { PATH: process.env.PATH, SCRIPT_PORT: String(port), SCRIPT_STORE: store }
  const adapterWith = (more: Partial<AcpOptions>): RuntimeAdapter =>
    createAcpAdapter({
      id: 'acp:scripted',
      title: 'Scripted',
      command,
      env,
      ...options,
      ...more,
    })
  const adapter = adapterWith({})
  return {
    adapter,
    adapterWith,
    command,
    env,
    play: (...next) => {
      acts = next
    },
    requestTexts: () => seen.asked,
    prompts: () => seen.prompts,
    restored: () => seen.restored,
    closed: () => seen.closed,
    chosen: () => seen.chosen,
    outcomes: () => seen.outcomes,
    children: () => seen.children,
    approvedActions: () => seen.done,
    started: () => seen.started,
    activeAnswers: () => [...working.values()].reduce((sum, one) => sum + one, 0),
    processes: () => working.size,
    introduced: () => introduced,
    capable: (next) => {
      initialized = { ...CAPABLE, ...next }
    },
    withoutModels: () => writeFile(join(store, 'without-models'), ''),
    refuseSessions: (error) => {
      refuses = error
    },
    close: async () => {
      await adapter.close()
      for (const socket of working.keys()) socket.destroy()
      await new Promise<void>((done) => server.close(() => done()))
      await rm(store, { recursive: true, force: true })
    },
  }
}
