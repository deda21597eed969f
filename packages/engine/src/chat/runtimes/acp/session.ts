import { type Failed, failedWith } from '../failed.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import type { AcpAgent, Answer, Limits } from './agent.ts'
import { modelsIn, type SessionModels } from './models.ts'

const CLOSE_MS = 5_000

export interface OpenSession {
  readonly id: string
  /** It knows what was said before. */
  readonly remembers: boolean
}

export interface Wanted {
  /** The session that is to be gone on with. */
  readonly session: string | null
  readonly cwd: string
}

/** The session that was left, where the agent still has it; else a new one. */
export async function openSession(
  agent: AcpAgent,
  { session, cwd }: Wanted,
  limits: Limits,
): Promise<OpenSession | Failed> {
  if (session !== null && agent.sessions.has(session)) return { id: session, remembers: true }
  const place = { cwd, mcpServers: [] }
  const method = session === null ? null : wayBack(agent.capabilities)
  if (session !== null && method !== null) {
    const restored = await agent.request(method, { sessionId: session, ...place }, limits)
    // What was said before may be told again by the agent; nobody listens to it.
    await new Promise(setImmediate)
    if (restored.ok) return opened(agent, session, restored.value, true)
    if (agent.isGone() || isFinal(restored)) return restored.failed
  }
  const made = await agent.request('session/new', place, limits)
  if (!made.ok) return made.failed
  const id = textOf(made.value.sessionId)
  return id === ''
    ? failedWith('malformed', 'The agent opened a session without a name.')
    : opened(agent, id, made.value, false)
}

/** How an agent takes up a session after it was started anew; null where it cannot. */
function wayBack({ loadSession, sessionCapabilities }: Fields): 'session/resume' | 'session/load' | null {
  const { resume } = fieldsOf(sessionCapabilities)
  if (resume !== undefined && resume !== null && resume !== false) return 'session/resume'
  return loadSession === true ? 'session/load' : null
}

const isFinal = (answer: Answer): boolean =>
  !answer.ok && (answer.failed.code === 'unauthorized' || answer.failed.code === 'interrupted')

function opened(agent: AcpAgent, id: string, told: Fields, remembers: boolean): OpenSession {
  agent.sessions.set(id, { models: modelsIn(told), used: {} })
  return { id, remembers }
}

/** Nobody will come back to it. What still runs in it is left time to end. */
export function leaveSession(agent: AcpAgent, id: string): void {
  agent.sessions.delete(id)
  const { close } = fieldsOf(agent.capabilities.sessionCapabilities)
  if (close === undefined || close === null || close === false) return
  void (agent.stopping ?? Promise.resolve()).then(() => {
    if (agent.isGone()) return
    const limits = { signal: new AbortController().signal, ms: CLOSE_MS }
    void agent.request('session/close', { sessionId: id }, limits)
  })
}

/**
 * The model that was asked for, where the agent has it; null where all is well. A session that is taken up again may not tell which there
 * are: then it is one of those that were told before, or the agent's own choice.
 */
export async function chooseModel(
  agent: AcpAgent,
  { id }: OpenSession,
  { model, before }: { readonly model: string | null; readonly before: SessionModels | null },
  limits: Limits,
): Promise<Failed | null> {
  const state = agent.sessions.get(id)
  if (model === null || state === undefined || state.models?.current === model) return null
  const models = state.models ?? before
  if (!models?.all.includes(model)) {
    if (state.models === null) return null
    const names = state.models.all.slice(0, 20).join(', ')
    return failedWith('not_configured', `It has no model ${model}. It has: ${names}.`)
  }
  const { method, params } = models.choose(id, model)
  const chosen = await agent.request(method, params, limits)
  if (!chosen.ok) return state.models === null && !agent.isGone() ? null : chosen.failed
  agent.sessions.set(id, { ...state, models: { ...models, current: model } })
  return null
}
