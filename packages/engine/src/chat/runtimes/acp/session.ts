import { type Fields, toFields, toText } from '../fields.ts'
import { createFailure, type RunFailure } from '../run-failure.ts'
import type { AcpAgent, Answer, Limits } from './agent.ts'
import { readModels, type SessionModels } from './models.ts'

const CLOSE_MS = 5_000

export interface OpenSession {
  readonly id: string
  /** The session knows the earlier messages. */
  readonly remembers: boolean
}

export interface SessionRequest {
  /** The session to continue. */
  readonly session: string | null
  readonly cwd: string
}

/** Continues the previous session if the agent still has it; otherwise opens a new one. */
export async function openSession(
  agent: AcpAgent,
  { session, cwd }: SessionRequest,
  limits: Limits,
): Promise<OpenSession | RunFailure> {
  if (session !== null && agent.sessions.has(session)) return { id: session, remembers: true }
  const place = { cwd, mcpServers: [] }
  const method = session === null ? null : findResumeMethod(agent.capabilities)
  if (session !== null && method !== null) {
    const restored = await agent.request(method, { sessionId: session, ...place }, limits)
    // The agent may replay earlier messages, which are ignored.
    await new Promise(setImmediate)
    if (restored.ok) return registerSession(agent, session, restored.value, true)
    if (agent.isGone() || isFinal(restored)) return restored.failed
  }
  const made = await agent.request('session/new', place, limits)
  if (!made.ok) return made.failed
  const id = toText(made.value.sessionId)
  return id === ''
    ? createFailure('malformed', 'The agent opened a session without an id.')
    : registerSession(agent, id, made.value, false)
}

/** Returns how an agent resumes a session after a restart; null if it cannot. */
function findResumeMethod({
  loadSession,
  sessionCapabilities,
}: Fields): 'session/resume' | 'session/load' | null {
  const { resume } = toFields(sessionCapabilities)
  if (resume !== undefined && resume !== null && resume !== false) return 'session/resume'
  return loadSession === true ? 'session/load' : null
}

const isFinal = (answer: Answer): boolean =>
  !answer.ok && (answer.failed.code === 'unauthorized' || answer.failed.code === 'interrupted')

function registerSession(agent: AcpAgent, id: string, response: Fields, remembers: boolean): OpenSession {
  agent.sessions.set(id, { models: readModels(response), used: {} })
  return { id, remembers }
}

/** Closes a session that will not be used again. Work that still runs in it gets time to end. */
export function leaveSession(agent: AcpAgent, id: string): void {
  agent.sessions.delete(id)
  const { close } = toFields(agent.capabilities.sessionCapabilities)
  if (close === undefined || close === null || close === false) return
  void (agent.stopping ?? Promise.resolve()).then(() => {
    if (agent.isGone()) return
    const limits = { signal: new AbortController().signal, ms: CLOSE_MS }
    void agent.request('session/close', { sessionId: id }, limits)
  })
}

/**
 * Selects the requested model if the agent has it and returns null on success. A resumed session
 * may not list its models; then the earlier list is used, or the agent's own choice.
 */
export async function chooseModel(
  agent: AcpAgent,
  { id }: OpenSession,
  { model, before }: { readonly model: string | null; readonly before: SessionModels | null },
  limits: Limits,
): Promise<RunFailure | null> {
  const state = agent.sessions.get(id)
  if (model === null || state === undefined || state.models?.current === model) return null
  const models = state.models ?? before
  if (!models?.all.includes(model)) {
    if (state.models === null) return null
    const names = state.models.all.slice(0, 20).join(', ')
    return createFailure('not_configured', `Unknown model: ${model}. Available: ${names}.`)
  }
  const { method, params } = models.choose(id, model)
  const chosen = await agent.request(method, params, limits)
  if (!chosen.ok) return state.models === null && !agent.isGone() ? null : chosen.failed
  agent.sessions.set(id, { ...state, models: { ...models, current: model } })
  return null
}
