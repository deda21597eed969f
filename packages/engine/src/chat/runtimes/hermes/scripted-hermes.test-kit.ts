import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Act, ScriptedRuntime } from '../conformance-kit.ts'
import { type Fields, toFields, toText } from '../fields.ts'
import type { RuntimeAdapter } from '../port.ts'
import type { Transport } from './capabilities.ts'
import { createHermes } from './hermes.ts'
import type { HermesLimits } from './server.ts'

/** What a scripted Hermes can do besides what every scripted runtime can. */
export interface HermesAct extends Act {
  /** Events before its text, in the form of the way used. */
  readonly events?: readonly (readonly [string, Fields])[]
  /** Returns this status instead of anything else. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Sends only keep-alives for this many milliseconds. */
  readonly beats?: number
  /** Ends the keep-alives earlier. */
  readonly until?: () => boolean
  /** Breaks the stream off while the work continues for this long. */
  readonly breaksFor?: number
  /** The final answer, if it differs from the streamed text. */
  readonly output?: string
  readonly usage?: Fields
  readonly failed?: string
}

interface Working {
  readonly id: string
  readonly session: string
  readonly act: HermesAct
  readonly stop: PromiseWithResolvers<'stopped'>
  readonly decided: PromiseWithResolvers<string>
  status: string
  output: string
  error: string | null
  isStreaming: boolean
}

export interface ScriptedHermes extends Omit<ScriptedRuntime, 'play'> {
  readonly url: string
  readonly key: string
  readonly play: (...acts: readonly HermesAct[]) => void
  readonly requests: () => readonly { readonly path: string; readonly body: Fields; readonly key: string }[]
  readonly sessions: Map<string, string[]>
  readonly stopped: () => readonly string[]
  readonly choices: () => readonly Fields[]
  /** Sets the features it reports. */
  readonly offer: (features: Fields) => void
  /** Turns of a session cannot be stopped, as in versions up to 0.20. */
  readonly deaf: (isDeaf: boolean) => void
  /**
   * Drops all work at once and restarts at the same address. Sessions survive unless they are to be
   * lost.
   */
  readonly restart: (more?: { readonly losing?: boolean; readonly after?: number }) => Promise<void>
  readonly adapterWith: (limits: Partial<HermesLimits>) => RuntimeAdapter
}

const KEY = 'the-key-of-a-scripted-hermes'

const FEATURES: Readonly<Record<Transport, Fields>> = {
  session: {
    session_chat_streaming: true,
    session_resources: true,
    reasoning_streaming: true,
    run_stop: true,
    run_approval_response: true,
  },
  runs: {
    session_chat_streaming: true,
    session_resources: true,
    run_submission: true,
    run_status: true,
    run_events_sse: true,
    run_stop: true,
    run_approval_response: true,
  },
  completions: { chat_completions: true, chat_completions_streaming: true },
}

/** A Hermes API server on loopback that speaks its protocols and follows a script. */
export async function startScriptedHermes(
  way: Transport,
  limits: Partial<HermesLimits> = {},
): Promise<ScriptedHermes> {
  let acts: readonly HermesAct[] = [{ say: 'ok' }]
  let features = FEATURES[way]
  let isDeaf = false
  let count = 0
  let done = 0
  const requests: { path: string; body: Fields; key: string }[] = []
  const asked: string[] = []
  const stopped: string[] = []
  const choices: Fields[] = []
  const sessions = new Map<string, string[]>()
  const runs = new Map<string, Working>()
  const next = (): HermesAct => {
    const [act = {}, ...rest] = acts
    if (rest.length > 0) acts = rest
    return act
  }
  const begun = (session: string, act: HermesAct): Working => {
    count += 1
    const run: Working = {
      id: `run_${count}`,
      session,
      act,
      stop: Promise.withResolvers(),
      decided: Promise.withResolvers(),
      status: 'running',
      output: '',
      error: null,
      isStreaming: false,
    }
    runs.set(run.id, run)
    return run
  }

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const path = incoming.url ?? ''
    const body = await bodyOf(incoming)
    const key = incoming.headers.authorization ?? ''
    requests.push({ path, body, key })
    if (key !== `Bearer ${KEY}`) return json(outgoing, 401, problem('Invalid API key', 'invalid_api_key'))
    if (path === '/v1/capabilities')
      return json(outgoing, 200, {
        object: 'hermes.api_server.capabilities',
        model: 'hermes-agent',
        features,
      })
    // The health response of an old version, whose sessions cannot be stopped.
    if (path === '/health')
      return json(outgoing, 200, { status: 'ok', version: way === 'runs' ? '0.19.0' : '0.21.0' })
    if (path === '/v1/models') return json(outgoing, 200, { data: [{ id: 'hermes-agent' }, { id: 'fast' }] })
    if (path === '/api/sessions') {
      const id = `session-${sessions.size + 1}`
      sessions.set(id, [])
      return json(outgoing, 201, { object: 'hermes.session', session: { id } })
    }
    const [, session] = /^\/api\/sessions\/([^/]+)\/chat\/stream$/.exec(path) ?? []
    if (session !== undefined) return turnOf(decodeURIComponent(session), body, outgoing)
    if (path === '/v1/runs') return runOf(body, outgoing)
    if (path === '/v1/chat/completions') return completionOf(body, outgoing)
    const [, id = '', of] = /^\/v1\/runs\/([^/]+)(?:\/(events|stop|approval))?$/.exec(path) ?? []
    const run = runs.get(id)
    if (run === undefined || (isDeaf && of !== 'events'))
      return json(outgoing, 404, problem('Run not found', 'run_not_found'))
    if (of === 'events') return eventsOf(run, outgoing)
    if (of === 'stop') {
      stopped.push(run.id)
      run.stop.resolve('stopped')
      return json(outgoing, 200, { run_id: run.id, status: 'stopping' })
    }
    if (of === 'approval') {
      choices.push(body)
      run.decided.resolve(toText(body.choice))
      return json(outgoing, 200, { run_id: run.id, choice: body.choice, resolved: 1 })
    }
    const { status, output, error } = run
    return json(outgoing, 200, { run_id: run.id, status, output, error, usage: run.act.usage })
  }

  const turnOf = async (session: string, body: Fields, outgoing: ServerResponse) => {
    const said = sessions.get(session)
    if (said === undefined) return json(outgoing, 404, problem('Session not found', 'session_not_found'))
    asked.push(JSON.stringify(body))
    const act = next()
    if (refuses(outgoing, act)) return
    said.push(JSON.stringify(body.message))
    const run = begun(session, act)
    const base = { session_id: session, run_id: run.id }
    const tell = teller(
      outgoing,
      (name, data) => `event: ${name}\ndata: ${JSON.stringify({ ...base, ...data })}\n\n`,
    )
    tell('run.started', { user_message: { role: 'user' } })
    await played(run, outgoing, tell, 'assistant.delta', 'reasoning.delta')
    if (run.status === 'completed') tell('assistant.completed', { content: run.output, completed: true })
    ended(run, outgoing, tell)
  }

  const runOf = async (body: Fields, outgoing: ServerResponse) => {
    asked.push(JSON.stringify(body))
    const act = next()
    if (refuses(outgoing, act)) return
    const run = begun(toText(body.session_id), act)
    json(outgoing, 202, { run_id: run.id, status: 'started' })
    if (features.run_events_sse === true) return
    await played(run, null, () => {}, 'message.delta', 'reasoning.available')
  }

  const eventsOf = async (run: Working, outgoing: ServerResponse) => {
    run.isStreaming = true
    const base = { run_id: run.id, timestamp: 1 }
    const tell = teller(outgoing, (event, data) => `data: ${JSON.stringify({ event, ...base, ...data })}\n\n`)
    await played(run, outgoing, tell, 'message.delta', 'reasoning.available')
    ended(run, outgoing, tell)
  }

  const completionOf = async (body: Fields, outgoing: ServerResponse) => {
    asked.push(JSON.stringify(body))
    const act = next()
    if (refuses(outgoing, act)) return
    const run = begun('api-1', act)
    // Closing the connection stops the run.
    outgoing.on('close', () => run.stop.resolve('stopped'))
    outgoing.setHeader('x-hermes-session-id', 'api-0123456789abcdef')
    const chunk = (delta: Fields, more: Fields = {}) => ({ choices: [{ index: 0, delta, ...more }] })
    const tell = teller(outgoing, (name, data) => {
      if (name === 'text') return `data: ${JSON.stringify(chunk({ content: data.delta }))}\n\n`
      if (name === 'thought') return `data: ${JSON.stringify(chunk({ reasoning_content: data.delta }))}\n\n`
      return `${name === '' ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
    })
    tell('', chunk({ role: 'assistant' }))
    await played(run, outgoing, tell, 'text', 'thought')
    const usage = { prompt_tokens: act.usage?.input_tokens, completion_tokens: act.usage?.output_tokens }
    if (run.status === 'failed')
      tell('', { ...chunk({}, { finish_reason: 'error' }), error: { message: run.error } })
    else if (run.status === 'completed') tell('', { ...chunk({}, { finish_reason: 'stop' }), usage })
    else return
    outgoing.end('data: [DONE]\n\n')
  }

  /** Plays the script to its end and reports every event. */
  const played = async (
    run: Working,
    outgoing: ServerResponse | null,
    tell: Teller,
    text: string,
    thought: string,
  ): Promise<void> => {
    const { act } = run
    for (const [name, data] of act.events ?? []) tell(name, data)
    if (act.think !== undefined) tell(thought, { delta: act.think, text: act.think })
    const until = Date.now() + (act.beats ?? 0)
    while (Date.now() < until && act.until?.() !== true && run.status === 'running') {
      outgoing?.write(': keepalive\n\n')
      if ((await Promise.race([run.stop.promise, wait(20, 'on')])) === 'stopped') run.status = 'cancelled'
    }
    let say = act.say ?? ''
    if (act.unlessAllowed !== undefined && run.status === 'running') {
      run.status = 'waiting_for_approval'
      tell('approval.request', { command: 'rm -r old', choices: ['once', 'session', 'always', 'deny'] })
      const choice = await Promise.race([run.decided.promise, run.stop.promise])
      run.status = choice === 'stopped' ? 'cancelled' : 'running'
      if (choice === 'deny') say = act.unlessAllowed
      else if (choice !== 'stopped') done += 1
    }
    if (run.status !== 'running') return
    const pieces = cut(say, act.pieces ?? 3)
    for (const delta of pieces) {
      run.output += delta
      tell(text, { delta })
    }
    if (act.after === 'garbles') outgoing?.write('data: {"delta": "Hal\n\n')
    if (act.after === 'dies') {
      run.status = 'lost'
      // Lets written data arrive first.
      await wait(20)
      outgoing?.destroy()
      runs.delete(run.id)
      return
    }
    if (act.breaksFor !== undefined) {
      outgoing?.destroy()
      await wait(act.breaksFor)
    }
    if (act.after === 'hangs' || act.after === 'garbles') {
      await run.stop.promise
      run.status = 'cancelled'
      return
    }
    run.output = act.output ?? run.output
    run.error = act.failed ?? null
    run.status = act.failed === undefined ? 'completed' : 'failed'
  }

  const ended = (run: Working, outgoing: ServerResponse, tell: Teller) => {
    if (run.status === 'completed') tell('run.completed', { output: run.output, usage: run.act.usage })
    if (run.status === 'failed') tell('run.failed', { error: run.error })
    if (run.status === 'cancelled') tell('run.cancelled', {})
    outgoing.end(': stream closed\n\n')
  }

  let server: Server
  const listen = async (port: number): Promise<number> => {
    server = createServer(
      (incoming, outgoing) => void handle(incoming, outgoing).catch(() => outgoing.destroy()),
    )
    await new Promise<void>((up) => server.listen(port, '127.0.0.1', up))
    return (server.address() as AddressInfo).port
  }
  const shut = () =>
    new Promise<void>((gone) => {
      server.close(() => gone())
      server.closeAllConnections()
    })
  const port = await listen(0)
  const url = `http://127.0.0.1:${port}`
  const adapters: RuntimeAdapter[] = []
  const adapterWith = (more: Partial<HermesLimits>): RuntimeAdapter => {
    const made = createHermes({
      config: { url, api_key_env: 'SCRIPTED_KEY', env: {} },
      env: { SCRIPTED_KEY: KEY },
      limits: { pollMs: 20, goneMs: 300, ...limits, ...more },
    })
    adapters.push(made)
    return made
  }
  const atWork = ({ status }: Working) => ['running', 'waiting_for_approval'].includes(status)
  return {
    adapter: adapterWith({}),
    adapterWith,
    url,
    key: KEY,
    play: (...next) => {
      acts = next
    },
    requestTexts: () => asked,
    requests: () => requests,
    approvedActions: () => done,
    activeAnswers: () =>
      [...runs.values()].filter((run) => atWork(run) && (run.isStreaming || way !== 'runs')).length,
    sessions,
    stopped: () => stopped,
    choices: () => choices,
    offer: (more) => {
      features = more
    },
    deaf: (is) => {
      isDeaf = is
    },
    restart: async ({ losing = false, after = 0 } = {}) => {
      await shut()
      for (const run of runs.values()) run.stop.resolve('stopped')
      runs.clear()
      if (losing) sessions.clear()
      await wait(after)
      await listen(port)
    },
    close: async () => {
      await Promise.all(adapters.map((one) => one.close()))
      for (const run of runs.values()) run.stop.resolve('stopped')
      await shut()
    },
  }
}

type Teller = (name: string, data: Fields) => void

function teller(outgoing: ServerResponse, frame: (name: string, data: Fields) => string): Teller {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  return (name, data) => void outgoing.write(frame(name, data))
}

function refuses(outgoing: ServerResponse, { refuse, status, headers, body }: HermesAct): boolean {
  const with_ = status ?? refuse
  if (with_ === undefined) return false
  outgoing.writeHead(with_, { 'content-type': 'application/json', 'retry-after': '0', ...headers })
  outgoing.end(body ?? JSON.stringify(problem(`scripted ${with_}`, '')))
  return true
}

const problem = (message: string, code: string): Fields => ({ error: { message, code } })

function json(outgoing: ServerResponse, status: number, value: Fields): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function cut(text: string, pieces: number): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces))
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  )
}

async function bodyOf(incoming: IncomingMessage): Promise<Fields> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  return parts.length === 0 ? {} : toFields(JSON.parse(Buffer.concat(parts).toString('utf8')))
}
