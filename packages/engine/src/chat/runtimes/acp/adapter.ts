import type { RuntimeId } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { unlessStopped } from '../abort-race.ts'
import { isGoingOn } from '../handover-prompt.ts'
import type { RunContext, RuntimeAdapter, RuntimeEvent, RuntimeRequest } from '../port.ts'
import { type Failed, failedWith } from '../run-failure.ts'
import { type AcpAgent, type Limits, startAgent } from './agent.ts'
import { type Advice, type AgentCommand, notInstalled, programIn } from './agent-process.ts'
import { AcpAnswer, type AnswerOptions } from './answer.ts'
import type { SessionModels } from './models.ts'
import { chooseModel, leaveSession, openSession } from './session.ts'

export interface AcpOptions {
  readonly id: RuntimeId
  readonly title: string
  readonly command: readonly string[]
  /** The environment variables the agent gets, and no others. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The agent's working folder; defaults to the folder of the request. */
  readonly cwd?: string | undefined
  readonly advice?: Advice | undefined
  readonly quirks?: Pick<AnswerOptions, 'doubtful' | 'sumsUsage'> | undefined
  readonly limits?: Partial<AcpLimits> | undefined
}

export interface AcpLimits {
  /** Time to start, which may include a download, and to open a session. */
  readonly startMs: number
  readonly sessionMs: number
  readonly silentMs: number
  readonly idleMs: number
  readonly most: number
}

const LIMITS: AcpLimits = {
  startMs: 180_000,
  sessionMs: 60_000,
  silentMs: 20 * 60_000,
  idleMs: 10 * 60_000,
  most: 12,
}

interface AgentState {
  models: SessionModels | null
  /**
   * Sessions whose last turn was stopped or failed. They have seen more than the conversation
   * contains, so they are not continued.
   */
  readonly left: Set<string>
  /** Why the last attempt to use the agent failed. */
  problem: Failed | null
  /** True if the last attempt started the agent and opened a session. */
  opened: boolean
}

/** A runtime for any agent that speaks the Agent Client Protocol, started by its command. */
export function createAcpAdapter(options: AcpOptions): RuntimeAdapter {
  const limits = { ...LIMITS, ...options.limits }
  const agents = new Agents(limits)
  const agentState: AgentState = { models: null, left: new Set(), problem: null, opened: false }
  return {
    id: options.id,
    title: options.title,
    model: () => agentState.models?.current ?? null,
    health: async () => ({
      ...healthState(options, agentState),
      models: modelNames(agentState),
      transport: 'acp',
    }),
    run: (request, context) => answered({ ...options, limits, agents, agentState }, request, context),
    close: async () => agents.close(),
  }
}

function healthState({ command, env, title, cwd, advice }: AcpOptions, { problem, opened }: AgentState) {
  const [program = ''] = command
  if (programIn(program, env, cwd) === null)
    return {
      state: 'not_installed' as const,
      detail: notInstalled(title, program, advice?.install),
    }
  if (problem?.code === 'unauthorized') return { state: 'unauthorized' as const, detail: problem.message }
  if (problem?.code === 'not_installed') return { state: 'not_installed' as const, detail: problem.message }
  if (opened) return { state: 'ready' as const, detail: '' }
  if (problem === null) return { state: 'untried' as const, detail: '' }
  return { state: 'failed' as const, detail: problem.message }
}

interface Running extends Omit<AcpOptions, 'limits'> {
  readonly limits: AcpLimits
  readonly agents: Agents
  readonly agentState: AgentState
}

async function* answered(
  running: Running,
  request: RuntimeRequest,
  context: RunContext,
): AsyncGenerator<RuntimeEvent, undefined> {
  const { agents, agentState } = running
  const { conversation_id: conversation } = request
  try {
    const ended = yield* tried(running, request, context)
    agentState.problem = ended.type === 'failed' ? ended : null
    yield context.signal.aborted ? { type: 'end', outcome: 'cancelled' } : ended
  } finally {
    agents.rest(conversation)
  }
}

type Ended = Extract<RuntimeEvent, { type: 'end' | 'failed' }>

async function* tried(
  running: Running,
  request: RuntimeRequest,
  context: RunContext,
): AsyncGenerator<RuntimeEvent, Ended> {
  const { agents, agentState, limits, title, command, env, advice } = running
  const { conversation_id: conversation, folder, continuity } = request
  const { signal } = context
  const cwd = running.cwd ?? folder
  const isNew = !agents.isRunning(conversation)
  if (isNew) agentState.opened = false
  if (isNew) yield starting(title, 'started')
  const agent = await agents.take(
    conversation,
    { title, command, env, cwd, advice },
    { signal, ms: limits.startMs },
  )
  if (isNew) yield starting(title, 'type' in agent ? 'failed' : 'completed')
  if ('type' in agent) return agent
  let session = sessionFor(running, request)
  if (session === null && typeof continuity?.session_id === 'string') {
    const { session_id: last } = continuity
    if (agent.sessions.has(last)) leaveSession(agent, last)
  }
  for (;;) {
    const opened = await openSession(agent, { session, cwd }, { signal, ms: limits.sessionMs })
    agentState.opened = !('type' in opened)
    if ('type' in opened) return opened
    const wanted = { model: request.model, before: agentState.models }
    const problem = await chooseModel(agent, opened, wanted, { signal, ms: limits.sessionMs })
    if (problem) return problem
    const { models } = agent.sessions.get(opened.id) ?? {}
    if (models) {
      agentState.models = models
      yield { type: 'model', model: models.current }
    }
    const answer = new AcpAnswer(
      agent,
      opened,
      { title, advice, silentMs: limits.silentMs, ...running.quirks },
      context,
    )
    let isWhole = false
    try {
      const ended = yield* answer.events(request)
      isWhole = ended !== 'lost' && ended.type === 'end' && ended.outcome !== 'cancelled'
      if (ended !== 'lost') return ended
    } finally {
      if (!isWhole) {
        keep(agentState.left, opened.id)
        leaveSession(agent, opened.id)
      }
    }
    session = null
  }
}

const MOST_LEFT = 1_000

function keep(left: Set<string>, session: string): void {
  const [oldest] = left
  if (left.size >= MOST_LEFT && oldest !== undefined) left.delete(oldest)
  left.add(session)
}

/** Returns the session whose history equals the conversation. */
function sessionFor({ agentState: known, id }: Running, request: RuntimeRequest): string | null {
  const session = request.continuity?.session_id
  if (typeof session !== 'string' || known.left.has(session)) return null
  return isGoingOn(request, id) ? session : null
}

const modelNames = ({ models }: AgentState): string[] =>
  models === null ? [] : [models.current, ...models.all.filter((one) => one !== models.current)]

const starting = (title: string, status: 'started' | 'completed' | 'failed'): RuntimeEvent => ({
  type: 'progress',
  node_id: 'start',
  kind: 'step',
  status,
  label: `Starting ${title}`,
})

interface AgentsOptions {
  /** How long an idle agent is kept. */
  readonly idleMs: number
  /** The maximum number of agent processes. */
  readonly most: number
}

interface AgentEntry {
  readonly agent: AcpAgent
  /** The timer of an idle agent; null while it is in use. */
  idle: NodeJS.Timeout | null
}

/**
 * Runs one agent process per conversation, so that conversations cannot affect each other. A
 * process is kept for the next message and ended when it is idle.
 */
class Agents {
  readonly #options: AgentsOptions
  readonly #agents = new Map<string, AgentEntry>()
  #starting = 0

  constructor(options: AgentsOptions) {
    this.#options = options
  }

  isRunning(conversation: string): boolean {
    return this.#agents.get(conversation)?.agent.isGone() === false
  }

  async take(conversation: string, command: AgentCommand, limits: Limits): Promise<AcpAgent | Failed> {
    const entry = this.#agents.get(conversation)
    if (entry && !entry.agent.isGone()) {
      clearTimeout(entry.idle ?? undefined)
      entry.idle = null
      if (entry.agent.stopping) await unlessStopped(entry.agent.stopping, limits.signal)
      if (limits.signal.aborted) return failedWith('interrupted', `${command.title} was stopped.`)
      if (!entry.agent.isGone()) return entry.agent
    }
    this.end(conversation)
    if (!this.#makeRoom())
      return failedWith(
        'rate_limited',
        `${command.title} is already busy in ${plural(this.#options.most, 'conversation')}. Wait for one to finish, or stop it.`,
      )
    this.#starting += 1
    const agent = await startAgent(command, limits).finally(() => {
      this.#starting -= 1
    })
    if (!('type' in agent)) this.#agents.set(conversation, { agent, idle: null })
    return agent
  }

  /** Marks the agent as idle. */
  rest(conversation: string): void {
    const entry = this.#agents.get(conversation)
    if (!entry) return
    clearTimeout(entry.idle ?? undefined)
    this.#agents.delete(conversation)
    this.#agents.set(conversation, entry)
    entry.idle = setTimeout(() => this.end(conversation), this.#options.idleMs)
    entry.idle.unref()
  }

  end(conversation: string): void {
    const entry = this.#agents.get(conversation)
    this.#agents.delete(conversation)
    clearTimeout(entry?.idle ?? undefined)
    entry?.agent.end()
  }

  close(): void {
    for (const conversation of [...this.#agents.keys()]) this.end(conversation)
  }

  /** Ends the agent that has been idle the longest. */
  #makeRoom(): boolean {
    for (const [conversation, { agent, idle }] of this.#agents) {
      if (this.#agents.size + this.#starting < this.#options.most) return true
      if (idle !== null || agent.isGone()) this.end(conversation)
    }
    return this.#agents.size + this.#starting < this.#options.most
  }
}
