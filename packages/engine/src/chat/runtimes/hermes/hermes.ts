import { setTimeout as wait } from 'node:timers/promises'
import type { HermesConfig, RuntimeHealth } from '@panoptes/schema'
import { createAcpAdapter } from '../acp/adapter.ts'
import { findProgram } from '../acp/agent-process.ts'
import { stripOwnMemory } from '../own-memory.ts'
import type { RunContext, RuntimeAdapter, RuntimeEvent, RuntimeRequest } from '../port.ts'
import { createFailure, type RunFailure } from '../run-failure.ts'
import { createCapabilitiesCache } from './capabilities.ts'
import { HOW_TO_START, type Place } from './http-client.ts'
import {
  findKey,
  type HermesLimits,
  isLocal,
  LIMITS,
  readHermesVariables,
  type Server,
  stopRun,
} from './server.ts'
import { requestAnswer } from './transport-fallback.ts'
import { Turn, type TurnResult } from './turn.ts'

export interface HermesOptions {
  /** The configured Hermes; null uses the one that is found on this computer. */
  readonly config: HermesConfig | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly limits?: Partial<HermesLimits> | undefined
}

const HERE = 'http://127.0.0.1'
const PORT = '8642'

const NOT_HERE = `Hermes was not found on this computer. Install it (\`pip install hermes-agent\`). If it is installed, ${HOW_TO_START} For another address, set runtimes.hermes.url in config.yaml.`

/** Hermes, through its API server or through ACP. */
export function createHermes(options: HermesOptions): RuntimeAdapter {
  const spoken = createRuntimeChooser(options)
  return {
    id: 'hermes',
    title: 'Hermes',
    model: () => spoken.current()?.model() ?? null,
    health: async (signal) => {
      const by = await spoken.choose(signal)
      if (by === null) return { state: 'not_installed', detail: NOT_HERE, models: [], transport: null }
      return by.health(signal)
    },
    run: async function* (request, context) {
      // What was found before may be gone or replaced by now.
      const current = options.config === null ? null : spoken.current()
      const by = current ?? (await spoken.choose(context.signal))
      if (by === null) yield createFailure('not_installed', NOT_HERE)
      else yield* by.run(request, context)
    },
    close: spoken.close,
  }
}

/** Chooses between the API server and ACP. */
function createRuntimeChooser({ config, env, limits }: HermesOptions) {
  const apis = new Map<string, HermesRuntime>()
  let acp: HermesRuntime | null = null
  let current: HermesRuntime | null = null
  const getAcp = (command: readonly string[], more: Readonly<Record<string, string>> = {}): HermesRuntime => {
    acp ??= createAcpAdapter({
      id: 'hermes',
      title: 'Hermes',
      command,
      env: { ...env, ...more },
      quirks: QUIRKS,
    })
    return acp
  }
  const getApi = (place: Place): HermesRuntime => {
    const name = `${place.url} ${place.key ?? ''}`
    const api = apis.get(name) ?? createApiRuntime(place, limits)
    apis.set(name, api)
    return api
  }
  const detect = async (signal?: AbortSignal): Promise<HermesRuntime | null> => {
    const { API_SERVER_PORT: port = PORT } = { ...(await readHermesVariables(env)), ...env }
    const url = `${HERE}:${/^\d{1,5}$/.test(port) ? port : PORT}`
    const key = await findKey(url, {}, env)
    const api = key === null ? null : getApi({ url, key })
    const health = await api?.health(signal)
    if (api !== null && health?.state === 'ready' && health.detail !== UNTOLD) return api
    if (findProgram('hermes', env) !== null) return getAcp(['hermes', 'acp'])
    return api
  }
  const choose = async (signal?: AbortSignal): Promise<HermesRuntime | null> => {
    if (config?.command !== undefined) current = getAcp(config.command, config.env)
    else if (config?.url !== undefined) {
      const url = config.url.replace(/\/+$/, '').replace(/\/v1$/, '')
      current = getApi({ url, key: await findKey(url, config, env) })
    } else current = await detect(signal)
    return current
  }
  return {
    choose,
    current: () => current,
    close: async () => {
      await Promise.all([...apis.values(), ...(acp ? [acp] : [])].map((one) => one.close()))
    },
  }
}

/**
 * Quirks of Hermes: an error of its model is sent as an answer without usage, and usage is reported
 * per session.
 */
const QUIRKS = {
  doubtful:
    /^(?:Error: |⚠|❌|HTTP \d{3}\b|API call failed|Invalid API response|Billing or credits|Context length exceeded|Request payload too large|Malformed provider)/,
  sumsUsage: true,
}

type HermesRuntime = Pick<RuntimeAdapter, 'health' | 'model' | 'run' | 'close'>

/** Hermes through its API server. */
function createApiRuntime(place: Place, limits: Partial<HermesLimits> = {}): HermesRuntime {
  const all = { ...LIMITS, ...limits }
  const server: Server = {
    place,
    limits: all,
    capabilities: createCapabilitiesCache(place, { ms: all.probeMs, cacheMs: all.cacheMs }),
    left: new Set(),
    stopping: new Set(),
  }
  const closed = new AbortController()
  return {
    model: () => server.capabilities.last()?.model ?? null,
    health: async (signal) => {
      // A health check must report the current state.
      server.capabilities.forget()
      const found = await server.capabilities.get(signal ?? closed.signal)
      const models = server.capabilities.last()?.models ?? []
      return 'type' in found
        ? { ...toHealthState(found), models: [...models], transport: 'api' }
        : {
            state: 'ready',
            detail: found.isGuess ? UNTOLD : '',
            models: [...found.models],
            transport: 'api',
          }
    },
    // Hermes on another computer has memories of its own.
    run: (request, context) =>
      streamAnswer(server, stripOwnMemory(request, isLocal(place.url) ? 'hermes' : null), context),
    close: async () => {
      closed.abort()
      await Promise.allSettled(server.stopping)
    },
  }
}

/** The server may not be Hermes, so another runtime is preferred if there is a choice. */
const UNTOLD = 'It does not report its capabilities, so Panoptes uses chat completions.'

const STATES: Readonly<Record<string, RuntimeHealth['state']>> = {
  unauthorized: 'unauthorized',
  rate_limited: 'busy',
  not_configured: 'not_configured',
  malformed: 'not_configured',
}

const toHealthState = ({ code, message }: RunFailure) => ({
  state: STATES[code] ?? ('unreachable' as const),
  detail: message,
})

/** How long to wait for the id of the run to stop. */
const RUN_ID_WAIT_MS = 2_000
const MOST_LEFT = 1_000

/**
 * One message to an API server from beginning to end. When it is stopped, the stream ends here at
 * once and Hermes is asked to stop.
 */
async function* streamAnswer(
  server: Server,
  request: RuntimeRequest,
  context: RunContext,
): AsyncGenerator<RuntimeEvent, undefined> {
  const { signal } = context
  const turn = new Turn(server, request, context)
  const stop = () => turn.events.end()
  signal.addEventListener('abort', stop, { once: true })
  let ended: TurnResult | null = null
  try {
    if (signal.aborted) stop()
    else
      void runTurn(turn).then((with_) => {
        ended = with_
        turn.isOver = true
        turn.named.resolve()
        turn.push(turn.translator.endOpen())
        turn.events.end()
      })
    yield* turn.events.read()
    if (signal.aborted) yield* turn.translator.endOpen()
    const session = turn.translator.sessionId ?? turn.session
    if (turn.wasTaken && session !== null) yield createSessionAttachment(server, session)
    yield signal.aborted || ended === null ? { type: 'end', outcome: 'cancelled' } : ended
  } finally {
    signal.removeEventListener('abort', stop)
    forgetSession(turn, ended)
    if (ended === null || mayStillRun(turn, ended)) stopInBackground(turn)
    else turn.line.abort()
  }
}

/** Announces where the full session can be read, on this computer or on the host of Hermes. */
const createSessionAttachment = ({ place }: Server, session: string): RuntimeEvent => ({
  type: 'attachment',
  attachment: {
    kind: 'session',
    title: 'Session of Hermes',
    data: { ...(isLocal(place.url) ? { source: 'hermes' } : {}), session_id: session },
  },
})

async function runTurn(turn: Turn): Promise<TurnResult> {
  const { capabilities } = turn.server
  const isNew = !capabilities.isFresh()
  try {
    if (isNew) turn.step('reach', 'started', 'Reaching Hermes')
    const found = await capabilities.get(turn.context.signal)
    if (isNew) turn.step('reach', 'type' in found ? 'failed' : 'completed', 'Reaching Hermes')
    if ('type' in found) return found
    if (found.model !== null) turn.events.push({ type: 'model', model: turn.request.model ?? found.model })
    const ended = await requestAnswer(turn, found)
    // The server may have been replaced while it was unreachable.
    if (ended.type === 'failed' && (ended.code === 'died' || ended.code === 'unreachable'))
      capabilities.forget()
    return ended
  } catch (error) {
    return createFailure('internal', error instanceof Error ? error.message : 'The answer was cut off.')
  }
}

/** Hermes may still be working although nobody reads its stream. */
const mayStillRun = ({ translator, hasBegun }: Turn, ended: TurnResult): boolean =>
  hasBegun &&
  translator.ended === null &&
  ended.type === 'failed' &&
  ended.code !== 'died' &&
  ended.code !== 'unreachable'

/**
 * A session that saw more than it answered is not continued, because it no longer matches the
 * conversation.
 */
function forgetSession({ server, way, session, hasBegun }: Turn, ended: TurnResult | null): void {
  if (way !== 'session' || session === null || !hasBegun) return
  if (ended?.type === 'end' && ended.outcome !== 'cancelled') return
  const [oldest] = server.left
  if (server.left.size >= MOST_LEFT && oldest !== undefined) server.left.delete(oldest)
  server.left.add(session)
}

/** Runs in the background, with a time limit. */
function stopInBackground(turn: Turn): void {
  if (!turn.hasBegun) {
    turn.line.abort()
    return
  }
  const { stopping } = turn.server
  const work = stopTurn(turn)
  stopping.add(work)
  void work.finally(() => stopping.delete(work))
}

async function stopTurn(turn: Turn): Promise<void> {
  const { server, translator, way } = turn
  // Chat completions have no id; closing the connection stops them.
  if (way !== 'completions' && translator.runId === null)
    await Promise.race([turn.named.promise, wait(RUN_ID_WAIT_MS, undefined, { ref: false })])
  if (translator.ended === null && translator.runId !== null && server.capabilities.last()?.canStop)
    await stopRun(server, translator.runId)
  turn.line.abort()
}
