import type { ClientConnection } from '@agentclientprotocol/sdk'
import { raceAbort } from '../abort-race.ts'
import { type Fields, toFields } from '../fields.ts'
import { createFailure, type RunFailure } from '../run-failure.ts'
import { type AgentCommand, type AgentProcess, startProcess } from './agent-process.ts'
import { toFailure } from './errors.ts'
import { createMessageStream, UPDATE } from './message-stream.ts'
import type { SessionModels } from './models.ts'
import { buildIntroduction, isSupportedVersion, readIntroduction, type Version } from './protocol.ts'
import { detectSource } from './session-source.ts'

/** A prompt in progress. It receives the events of one session only. */
export interface Prompting {
  readonly session: string
  readonly update: (update: Fields) => void
  /** Handles the agent's permission request and returns the answer in the protocol's form. */
  readonly permission: (permissionRequest: Fields) => Promise<Fields>
}

export type Answer =
  | { readonly ok: true; readonly value: Fields }
  | { readonly ok: false; readonly failed: RunFailure }

/** A running agent, connected through its standard input and output. Nothing here throws. */
export interface AcpAgent {
  readonly version: Version
  /** Capabilities with the field names of protocol version 1. */
  readonly capabilities: Fields
  /** The source through which Panoptes reads this agent's sessions; null if there is none. */
  readonly source: string | null
  /** The sessions open in this process. */
  readonly sessions: Map<string, SessionState>
  readonly isGone: () => boolean
  /** Resolves with the reason when the agent is gone. */
  readonly whenLost: () => Promise<RunFailure>
  /**
   * Pending while the agent was asked to stop but has not confirmed it. It must not be prompted
   * meanwhile.
   */
  stopping: Promise<void> | null
  readonly request: (method: string, params: Fields, limits: Limits) => Promise<Answer>
  readonly notify: (method: string, params: Fields) => void
  readonly listen: (prompting: Prompting | null) => void
  readonly end: (ms?: number) => void
}

export interface SessionState {
  readonly models: SessionModels | null
  /** The usage reported so far. */
  used: Fields
}

export interface Limits {
  readonly signal: AbortSignal
  /** The timeout; none if omitted. */
  readonly ms?: number | undefined
}

export async function startAgent(command: AgentCommand, limits: Limits): Promise<AcpAgent | RunFailure> {
  const stopped = createFailure('interrupted', `${command.title} was stopped.`)
  if (limits.signal.aborted) return stopped
  const process = await startProcess(command)
  if ('type' in process) return process
  if (limits.signal.aborted) {
    process.end()
    return stopped
  }
  const agent = await connect(command, process)
  const first = await initializeAgent(agent, limits)
  if (!first.ok) {
    agent.end()
    return first.failed
  }
  const { protocolVersion: version } = first.value
  if (!isSupportedVersion(version)) {
    agent.end()
    return createVersionFailure(command.title, version)
  }
  const { capabilities, info } = readIntroduction(version, first.value)
  return { ...agent, version, capabilities, source: detectSource(info, command) }
}

/** An agent that does not speak version 1 answers with its own version or refuses. */
async function initializeAgent(agent: AcpAgent, limits: Limits): Promise<Answer> {
  const first = await agent.request('initialize', buildIntroduction(1), limits)
  if (first.ok || agent.isGone() || FINAL_CODES.has(first.failed.code)) return first
  const second = await agent.request('initialize', buildIntroduction(2), limits)
  return second.ok ? second : first
}

const FINAL_CODES: ReadonlySet<string> = new Set(['unauthorized', 'interrupted', 'timed_out', 'malformed'])

const createVersionFailure = (title: string, version: unknown): RunFailure =>
  createFailure(
    'not_configured',
    `${title} uses version ${String(version)} of ACP, but Panoptes supports versions 1 and 2. Install another version of one of them.`,
  )

/** The SDK is loaded with the first agent, not when Panoptes starts. */
async function connect({ title, advice }: AgentCommand, process: AgentProcess): Promise<AcpAgent> {
  const { client } = await import('@agentclientprotocol/sdk')
  let prompting: Prompting | null = null
  const connection: ClientConnection = client({ name: 'panoptes' })
    .onNotification(UPDATE, toFields, ({ params }) => {
      if (params.sessionId === prompting?.session) prompting?.update(toFields(params.update))
    })
    .onRequest(
      'session/request_permission',
      toFields,
      ({ params }) => prompting?.permission(params) ?? { outcome: { outcome: 'cancelled' } },
    )
    .connect(createMessageStream(process.child.stdin, process.child.stdout))
  let isGone = false
  const end = (ms?: number) => {
    if (isGone) return
    isGone = true
    connection.close()
    process.end(ms)
  }
  // An agent that closed the connection is ended together with its children.
  void connection.closed.then(() => end())
  void process.gone.then(() => end())
  return {
    version: 1,
    capabilities: {},
    source: null,
    sessions: new Map(),
    isGone: () => isGone,
    whenLost: async () => {
      await connection.closed
      return toFailure(connection.signal.reason, { title, advice, process, isStarting: false, isOpen: false })
    },
    stopping: null,
    request: async (method, params, { signal, ms }) => {
      try {
        const reply = await raceAbort(connection.agent.request<unknown>(method, params), signal, ms)
        if (reply !== null) return { ok: true, value: toFields(reply) }
        const failed = signal.aborted
          ? createFailure('interrupted', `${title} was stopped.`)
          : createFailure(
              'timed_out',
              `${title} did not answer ${method} within ${Math.ceil((ms ?? 0) / 1_000)} s.`,
            )
        return { ok: false, failed }
      } catch (error) {
        return {
          ok: false,
          failed: await toFailure(error, {
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
