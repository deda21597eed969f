import type { RuntimeId } from '@panoptes/schema'
import type { Failed } from '../failed.ts'
import { isGoingOn } from '../handed-over.ts'
import type { RunContext, RuntimeAdapter, RuntimeEvent, RuntimeRequest } from '../port.ts'
import { type Advice, notInstalled } from './agent-process.ts'
import { Agents } from './agents.ts'
import { AcpAnswer, type AnswerOptions } from './answer.ts'
import type { SessionModels } from './models.ts'
import { programIn } from './program.ts'
import { chooseModel, leaveSession, openSession } from './session.ts'

export interface AcpOptions {
  readonly id: RuntimeId
  readonly title: string
  readonly command: readonly string[]
  /** All that it is given of variables. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where it works; else the folder of the request. */
  readonly cwd?: string | undefined
  readonly advice?: Advice | undefined
  readonly quirks?: Pick<AnswerOptions, 'doubtful' | 'sumsUsage'> | undefined
  readonly limits?: Partial<AcpLimits> | undefined
}

export interface AcpLimits {
  /** To start, which may mean to be downloaded; to open a session. */
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

interface Known {
  models: SessionModels | null
  /** Sessions that saw more than they answered, as they were stopped or failed: what they know is not what was said. */
  readonly left: Set<string>
  /** Why it could not answer when it was asked last. */
  problem: Failed | null
}

/** Any agent that speaks the Agent Client Protocol, by its command. */
export function createAcpAdapter(options: AcpOptions): RuntimeAdapter {
  const limits = { ...LIMITS, ...options.limits }
  const agents = new Agents(limits)
  const known: Known = { models: null, left: new Set(), problem: null }
  return {
    id: options.id,
    title: options.title,
    model: () => known.models?.current ?? null,
    health: async () => ({ ...stateOf(options, known), models: namesOf(known), transport: 'acp' }),
    run: (request, context) => answered({ ...options, limits, agents, known }, request, context),
    close: async () => agents.close(),
  }
}

function stateOf({ command, env, title, cwd, advice }: AcpOptions, { problem }: Known) {
  const [program = ''] = command
  if (programIn(program, env, cwd) === null)
    return {
      state: 'not_installed' as const,
      detail: notInstalled(title, program, advice?.install),
    }
  if (problem?.code === 'unauthorized') return { state: 'unauthorized' as const, detail: problem.message }
  if (problem?.code === 'not_installed') return { state: 'not_installed' as const, detail: problem.message }
  return { state: 'ready' as const, detail: '' }
}

interface Running extends Omit<AcpOptions, 'limits'> {
  readonly limits: AcpLimits
  readonly agents: Agents
  readonly known: Known
}

async function* answered(
  running: Running,
  request: RuntimeRequest,
  context: RunContext,
): AsyncGenerator<RuntimeEvent, undefined> {
  const { agents, known } = running
  const { conversation_id: conversation } = request
  try {
    const ended = yield* tried(running, request, context)
    known.problem = ended.type === 'failed' ? ended : null
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
  const { agents, known, limits, title, command, env, advice } = running
  const { conversation_id: conversation, folder, continuity } = request
  const { signal } = context
  const cwd = running.cwd ?? folder
  const isNew = !agents.isRunning(conversation)
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
    if ('type' in opened) return opened
    const wanted = { model: request.model, before: known.models }
    const problem = await chooseModel(agent, opened, wanted, { signal, ms: limits.sessionMs })
    if (problem) return problem
    const { models } = agent.sessions.get(opened.id) ?? {}
    if (models) {
      known.models = models
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
        keep(known.left, opened.id)
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

/** The session that knows what was said, and no more. */
function sessionFor({ known, id }: Running, request: RuntimeRequest): string | null {
  const session = request.continuity?.session_id
  if (typeof session !== 'string' || known.left.has(session)) return null
  return isGoingOn(request, id) ? session : null
}

const namesOf = ({ models }: Known): string[] =>
  models === null ? [] : [models.current, ...models.all.filter((one) => one !== models.current)]

const starting = (title: string, status: 'started' | 'completed' | 'failed'): RuntimeEvent => ({
  type: 'progress',
  node_id: 'start',
  kind: 'step',
  status,
  label: `Starting ${title}`,
})
