import type { RuntimeId } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { raceAbort } from '../abort-race.ts'
import { isInSync } from '../handover-prompt.ts'
import type { RunContext, RuntimeAdapter, RuntimeEvent, RuntimeRequest } from '../port.ts'
import { createFailure, type RunFailure } from '../run-failure.ts'
import { type AcpAgent, type Limits, startAgent } from './agent.ts'
import { type Advice, type AgentCommand, findProgram, formatNotInstalled } from './agent-process.ts'
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
  problem: RunFailure | null
  /** True if the last attempt started the agent and opened a session. */
  opened: boolean
}

/** A runtime for any agent that speaks the Agent Client Protocol, started by its command. */
export function createAcpAdapter(options: AcpOptions): RuntimeAdapter {
  const limits = { ...LIMITS, ...options.limits }
  const agents = new AgentPool(limits)
  const agentState: AgentState = { models: null, left: new Set(), problem: null, opened: false }
  return {
    id: options.id,
    title: options.title,
    model: () => agentState.models?.current ?? null,
    health: async () => ({
      ...healthState(options, agentState),
      models: listModelNames(agentState),
      transport: 'acp',
    }),
    run: (request, context) => runAnswer({ ...options, limits, agents, agentState }, request, context),
    close: async () => agents.close(),
  }
}

function healthState({ command, env, title, cwd, advice }: AcpOptions, { problem, opened }: AgentState) {
  const [program = ''] = command
  if (findProgram(program, env, cwd) === null)
    return {
      state: 'not_installed' as const,
      detail: formatNotInstalled(title, program, advice?.install),
    }
  if (problem?.code === 'unauthorized') return { state: 'unauthorized' as const, detail: problem.message }
  if (problem?.code === 'not_installed') return { state: 'not_installed' as const, detail: problem.message }
  if (opened) return { state: 'ready' as const, detail: '' }
  if (problem === null) return { state: 'untried' as const, detail: '' }
  return { state: 'failed' as const, detail: problem.message }
}

interface AdapterContext extends Omit<AcpOptions, 'limits'> {
  readonly limits: AcpLimits
  readonly agents: AgentPool
  readonly agentState: AgentState
}

async function* runAnswer(
  running: AdapterContext,
  request: RuntimeRequest,
  context: RunContext,
): AsyncGenerator<RuntimeEvent, undefined> {
  const { agents, agentState } = running
  const { conversation_id: conversation } = request
  try {
    const ended = yield* attemptAnswer(running, request, context)
    agentState.problem = ended.type === 'failed' ? ended : null
    yield context.signal.aborted ? { type: 'end', outcome: 'cancelled' } : ended
  } finally {
    agents.release(conversation)
  }
}

type AnswerEnd = Extract<RuntimeEvent, { type: 'end' | 'failed' }>

async function* attemptAnswer(
  running: AdapterContext,
  request: RuntimeRequest,
  context: RunContext,
): AsyncGenerator<RuntimeEvent, AnswerEnd> {
  const { agents, agentState, limits, title, command, env, advice } = running
  const { conversation_id: conversation, folder, continuity } = request
  const { signal } = context
  const cwd = running.cwd ?? folder
  const isNew = !agents.isRunning(conversation)
  if (isNew) agentState.opened = false
  if (isNew) yield createStartProgress(title, 'started')
  const agent = await agents.acquire(
    conversation,
    { title, command, env, cwd, advice },
    { signal, ms: limits.startMs },
  )
  if (isNew) yield createStartProgress(title, 'type' in agent ? 'failed' : 'completed')
  if ('type' in agent) return agent
  let session = findSession(running, request)
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
        addBounded(agentState.left, opened.id)
        leaveSession(agent, opened.id)
      }
    }
    session = null
  }
}

const MOST_LEFT = 1_000

function addBounded(left: Set<string>, session: string): void {
  const [oldest] = left
  if (left.size >= MOST_LEFT && oldest !== undefined) left.delete(oldest)
  left.add(session)
}

/** Returns the session whose history equals the conversation. */
function findSession({ agentState: known, id }: AdapterContext, request: RuntimeRequest): string | null {
  const session = request.continuity?.session_id
  if (typeof session !== 'string' || known.left.has(session)) return null
  return isInSync(request, id) ? session : null
}

const listModelNames = ({ models }: AgentState): string[] =>
  models === null ? [] : [models.current, ...models.all.filter((one) => one !== models.current)]

const createStartProgress = (title: string, status: 'started' | 'completed' | 'failed'): RuntimeEvent => ({
  type: 'progress',
  node_id: 'start',
  kind: 'step',
  status,
  label: `Starting ${title}`,
})

interface AgentPoolOptions {
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
class AgentPool {
  readonly #options: AgentPoolOptions
  readonly #agents = new Map<string, AgentEntry>()
  #starting = 0

  constructor(options: AgentPoolOptions) {
    this.#options = options
  }

  isRunning(conversation: string): boolean {
    return this.#agents.get(conversation)?.agent.isGone() === false
  }

  async acquire(conversation: string, command: AgentCommand, limits: Limits): Promise<AcpAgent | RunFailure> {
    const entry = this.#agents.get(conversation)
    if (entry && !entry.agent.isGone()) {
      clearTimeout(entry.idle ?? undefined)
      entry.idle = null
      if (entry.agent.stopping) await raceAbort(entry.agent.stopping, limits.signal)
      if (limits.signal.aborted) return createFailure('interrupted', `${command.title} was stopped.`)
      if (!entry.agent.isGone()) return entry.agent
    }
    this.end(conversation)
    if (!this.#makeRoom())
      return createFailure(
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
  release(conversation: string): void {
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
