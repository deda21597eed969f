import type { ClientConnection } from '@agentclientprotocol/sdk'
import { type Failed, failedWith } from '../failed.ts'
import { type Fields, fieldsOf } from '../fields.ts'
import { unlessStopped } from '../stopped.ts'
import { type AgentCommand, type AgentProcess, startProcess } from './agent-process.ts'
import { failureOf } from './errors.ts'
import { messageStream, UPDATE } from './message-stream.ts'
import type { SessionModels } from './models.ts'
import { introduced, introduction, isSpoken, type Version } from './protocol.ts'
import { sourceOf } from './source-of.ts'

/** Whoever prompts hears of one session alone. */
export interface Prompting {
  readonly session: string
  readonly update: (update: Fields) => void
  /** A question of the agent's: the answer as the protocol has it. */
  readonly permission: (asked: Fields) => Promise<Fields>
}

export type Answer =
  | { readonly ok: true; readonly value: Fields }
  | { readonly ok: false; readonly failed: Failed }

/** An agent that runs, and is spoken to over its standard input and output. Nothing here throws. */
export interface AcpAgent {
  readonly version: Version
  /** In the words of the first version. */
  readonly capabilities: Fields
  /** Whose past sessions we read ourselves; null where they are told by nobody else. */
  readonly source: string | null
  /** Sessions that this process has open. */
  readonly sessions: Map<string, SessionState>
  readonly isGone: () => boolean
  /** When it is gone: why. */
  readonly lost: () => Promise<Failed>
  /** It was told to stop and has not said yet that it did: it is not to be asked meanwhile. */
  stopping: Promise<void> | null
  readonly request: (method: string, params: Fields, limits: Limits) => Promise<Answer>
  readonly notify: (method: string, params: Fields) => void
  readonly listen: (prompting: Prompting | null) => void
  readonly end: (ms?: number) => void
}

export interface SessionState {
  readonly models: SessionModels | null
  /** What it was said to have used up to now. */
  used: Fields
}

export interface Limits {
  readonly signal: AbortSignal
  /** How long it is waited for; for ever where it is not said. */
  readonly ms?: number | undefined
}

export async function startAgent(command: AgentCommand, limits: Limits): Promise<AcpAgent | Failed> {
  const stopped = failedWith('interrupted', `${command.title} was stopped.`)
  if (limits.signal.aborted) return stopped
  const process = await startProcess(command)
  if ('type' in process) return process
  if (limits.signal.aborted) {
    process.end()
    return stopped
  }
  const agent = await connect(command, process)
  const first = await introducedTo(agent, limits)
  if (!first.ok) {
    agent.end()
    return first.failed
  }
  const { protocolVersion: version } = first.value
  if (!isSpoken(version)) {
    agent.end()
    return otherVersion(command.title, version)
  }
  const { capabilities, info } = introduced(version, first.value)
  return { ...agent, version, capabilities, source: sourceOf(info, command) }
}

/** Whoever does not speak the first version says which it speaks, or refuses. */
async function introducedTo(agent: AcpAgent, limits: Limits): Promise<Answer> {
  const first = await agent.request('initialize', introduction(1), limits)
  if (first.ok || agent.isGone() || NOT_FOR_THAT.has(first.failed.code)) return first
  const second = await agent.request('initialize', introduction(2), limits)
  return second.ok ? second : first
}

const NOT_FOR_THAT: ReadonlySet<string> = new Set(['unauthorized', 'interrupted', 'timed_out', 'malformed'])

const otherVersion = (title: string, version: unknown): Failed =>
  failedWith(
    'not_configured',
    `${title} speaks version ${String(version)} of ACP, and Panoptes versions 1 and 2. Install another version of one of them.`,
  )

/** The SDK is read when the first agent is asked, not when Panoptes starts. */
async function connect({ title, advice }: AgentCommand, process: AgentProcess): Promise<AcpAgent> {
  const { client } = await import('@agentclientprotocol/sdk')
  let prompting: Prompting | null = null
  const connection: ClientConnection = client({ name: 'panoptes' })
    .onNotification(UPDATE, fieldsOf, ({ params }) => {
      if (params.sessionId === prompting?.session) prompting?.update(fieldsOf(params.update))
    })
    .onRequest(
      'session/request_permission',
      fieldsOf,
      ({ params }) => prompting?.permission(params) ?? { outcome: { outcome: 'cancelled' } },
    )
    .connect(messageStream(process.child.stdin, process.child.stdout))
  let isGone = false
  const end = (ms?: number) => {
    if (isGone) return
    isGone = true
    connection.close()
    process.end(ms)
  }
  // Whoever says nothing any more is not to be waited for, and what it started is not to be left.
  void connection.closed.then(() => end())
  void process.gone.then(() => end())
  return {
    version: 1,
    capabilities: {},
    source: null,
    sessions: new Map(),
    isGone: () => isGone,
    lost: async () => {
      await connection.closed
      return failureOf(connection.signal.reason, { title, advice, process, isStarting: false, isOpen: false })
    },
    stopping: null,
    request: async (method, params, { signal, ms }) => {
      try {
        const reply = await unlessStopped(connection.agent.request<unknown>(method, params), signal, ms)
        if (reply !== null) return { ok: true, value: fieldsOf(reply) }
        const failed = signal.aborted
          ? failedWith('interrupted', `${title} was stopped.`)
          : failedWith(
              'timed_out',
              `${title} did not answer to ${method} within ${Math.ceil((ms ?? 0) / 1_000)} s.`,
            )
        return { ok: false, failed }
      } catch (error) {
        return {
          ok: false,
          failed: await failureOf(error, {
            title,
            advice,
            process,
            isStarting: method === 'initialize',
            isOpen: !connection.signal.aborted,
          }),
        }
      }
    },
    notify: (method, params) => void connection.agent.notify(method, params).catch(() => {}),
    listen: (next) => {
      prompting = next
    },
    end,
  }
}
