import { setTimeout as wait } from 'node:timers/promises'
import { prependContext } from '@panoptes/engine/markers'
import { type Fields, toText } from '../fields.ts'
import { formatFilesNote, formatPrompt, isInSync, takeNewest } from '../handover-prompt.ts'
import type { PriorMessage, RuntimeRequest } from '../port.ts'
import { createFailure } from '../run-failure.ts'
import { type Capabilities, createNotHermesFailure, type Transport } from './capabilities.ts'
import { type Reply, readJson, sendRequest } from './http-client.ts'
import type { Refusal } from './refusal.ts'
import { call, createSession, runPath } from './server.ts'
import type { Turn, TurnResult } from './turn.ts'

/** Asks through the way the server offers, up to the end of the answer. */
export function requestAnswer(turn: Turn, capabilities: Capabilities): Promise<TurnResult> {
  // The name the server gives itself is not a model, so it stands for the default model.
  const { request } = turn
  const effectiveRequest = request.model === capabilities.model ? { ...request, model: null } : request
  return askVia(capabilities.way, turn, effectiveRequest, capabilities)
}

/** Tries the next way if an advertised one turns out to be missing. */
async function askVia(
  way: Transport,
  turn: Turn,
  request: RuntimeRequest,
  capabilities: Capabilities,
): Promise<TurnResult> {
  turn.way = way
  if (way === 'completions') return askViaCompletions(turn, request, capabilities)
  const ended =
    way === 'session' ? await askViaSession(turn, request) : await askViaRun(turn, request, capabilities)
  if (ended !== ABSENT) return ended
  turn.session = null
  return askVia(way === 'session' ? 'runs' : 'completions', turn, request, capabilities)
}

const ABSENT = Symbol('not supported')

const isAbsent = ({ status }: Refusal): boolean => status === 404 || status === 405 || status === 501

async function askViaSession(turn: Turn, request: RuntimeRequest): Promise<TurnResult | typeof ABSENT> {
  const { server } = turn
  const previousSession = toText(request.continuity?.session_id)
  let remembers = previousSession !== '' && !server.left.has(previousSession) && isInSync(request, 'hermes')
  let session = remembers ? previousSession : await openSession(turn)
  for (;;) {
    if (typeof session !== 'string') return isAbsent(session) ? ABSENT : session.failed
    turn.session = session
    const path = `/api/sessions/${encodeURIComponent(session)}/chat/stream`
    const reply = await turn.start(path, sessionBody(request, remembers))
    if (!('failed' in reply)) return turn.read(reply)
    if (!remembers) return isAbsent(reply) ? ABSENT : reply.failed
    if (reply.status !== 404) return reply.failed
    // The session is gone, so a new one gets the full history.
    remembers = false
    session = await openSession(turn)
  }
}

async function openSession(turn: Turn): Promise<string | Refusal> {
  turn.step('session', 'started', 'Opening a session')
  const session = await createSession(turn.server, turn.context.signal)
  turn.step('session', typeof session === 'string' ? 'completed' : 'failed', 'Opening a session')
  return session
}

/** A run does not read the session it writes to, so it gets the full history each time. */
async function askViaRun(
  turn: Turn,
  request: RuntimeRequest,
  { hasRunEvents }: Capabilities,
): Promise<TurnResult | typeof ABSENT> {
  const { server } = turn
  const session = toText(request.continuity?.session_id) || `panoptes-${request.conversation_id}`
  turn.session = session
  const started = await turn.start('/v1/runs', runBody(request, session))
  if ('failed' in started) return isAbsent(started) ? ABSENT : started.failed
  const named = await readJson(started, server.limits.beginMs)
  const run = toText(named?.run_id) || toText(named?.id)
  if (run === '') return createFailure('malformed', 'Hermes started a run without an id.')
  turn.translator.runId = run
  turn.named.resolve()
  const events = hasRunEvents ? await openRunEvents(turn, run) : null
  if (events !== null) {
    const ended = await turn.read(events)
    // A run whose stream broke off may still be working, so its result is polled.
    if (ended.type !== 'failed' || turn.translator.ended !== null || ended.code === 'malformed') return ended
  }
  return pollRun(turn, run)
}

async function openRunEvents({ server, line }: Turn, run: string): Promise<Reply | null> {
  const { place, limits } = server
  const hermesRequest = {
    method: 'GET',
    path: `${runPath(run)}/events`,
    accept: 'text/event-stream',
  } as const
  const reply = await sendRequest(place, { ...hermesRequest, signal: line.signal, ms: limits.beginMs })
  if ('type' in reply) return null
  if (reply.status === 200) return reply
  reply.body.destroy()
  return null
}

async function pollRun(turn: Turn, run: string): Promise<TurnResult> {
  const { limits } = turn.server
  const { signal } = turn.context
  const until = turn.heardAt + limits.silentMs
  let seen = Date.now()
  let wasWaiting = false
  while (Date.now() < until) {
    if (signal.aborted) return { type: 'end', outcome: 'cancelled' }
    const got = await call(turn.server, 'GET', runPath(run), { signal })
    if (got.ok) {
      seen = Date.now()
      turn.push(turn.translator.status(got.value))
      if (turn.translator.ended !== null) return turn.getResult()
      const isWaiting = got.value.status === 'waiting_for_approval'
      if (isWaiting && !wasWaiting)
        turn.approve({ description: 'Hermes asks for approval without saying what for' })
      wasWaiting = isWaiting
    } else if (got.status === 404)
      return createFailure('died', 'Hermes restarted in the middle of its answer. Send the message again.')
    else if (got.failed.code === 'unauthorized') return got.failed
    else if (Date.now() - seen > limits.goneMs)
      return createFailure(
        'died',
        'Hermes stopped in the middle of its answer. Start it, then send the message again.',
      )
    await wait(limits.pollMs, undefined, { signal }).catch(() => {})
  }
  return createFailure('timed_out', `Hermes did not finish within ${Math.ceil(limits.silentMs / 1_000)} s.`)
}

/** Gets the full history as well; with its own session it would ignore messages of others. */
async function askViaCompletions(
  turn: Turn,
  request: RuntimeRequest,
  { model, isGuess }: Capabilities,
): Promise<TurnResult> {
  const reply = await turn.start('/v1/chat/completions', completionBody(request, model ?? 'hermes-agent'))
  if ('failed' in reply)
    return isGuess && isAbsent(reply) ? createNotHermesFailure(turn.server.place) : reply.failed
  const session = reply.headers['x-hermes-session-id']
  turn.session = typeof session === 'string' ? session.slice(0, 256) : null
  return turn.read(reply)
}

/** Hermes accepts 10 MB in total. */
const MOST_IMAGES = 6_000_000
const MOST_HISTORY = 1_000_000

/** A session that remembers gets only what is new; any other gets everything as one message. */
const sessionBody = (request: RuntimeRequest, remembers: boolean): Fields => ({
  message: toContent(request, remembers ? request.handover : request.history),
  ...systemFields('system_message', request),
})

/** A run starts with nothing except what it is sent. */
function runBody(request: RuntimeRequest, session: string): Fields {
  const content = toContent(request, [])
  const history = buildHistory(request)
  return {
    input: typeof content === 'string' ? content : [{ role: 'user', content }],
    session_id: session,
    ...(history.length === 0 ? {} : { conversation_history: history }),
    ...systemFields('instructions', request),
  }
}

function completionBody(request: RuntimeRequest, model: string): Fields {
  const { baseline } = request
  const content = toContent(request, [])
  return {
    model: request.model ?? model,
    stream: true,
    messages: [
      ...(baseline === '' ? [] : [{ role: 'system', content: baseline }]),
      ...buildHistory(request),
      { role: 'user', content },
    ],
  }
}

/** The system prompt added to that of Hermes; identical bytes within an epoch. */
const systemFields = (name: string, { baseline, model }: RuntimeRequest): Fields => ({
  ...(baseline === '' ? {} : { [name]: baseline }),
  ...(model === null ? {} : { model }),
})

const buildHistory = ({ history }: RuntimeRequest): readonly Fields[] =>
  takeNewest(history, MOST_HISTORY).included.map(({ role, content, preamble }: PriorMessage) => ({
    role,
    content: role === 'user' ? prependContext(preamble ?? '', content) : content,
  }))

function toContent(request: RuntimeRequest, since: readonly PriorMessage[]): string | readonly Fields[] {
  const images: Fields[] = []
  const without: string[] = []
  let room = MOST_IMAGES
  for (const { name, media_type, data } of request.files) {
    if (data === undefined) continue
    if (/^image\/(?:png|jpe?g|gif|webp)$/i.test(media_type) && data.length <= room) {
      room -= data.length
      const type = media_type.toLowerCase().replace('/jpg', '/jpeg')
      images.push({ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } })
    } else without.push(`${name} (${media_type})`)
  }
  const text = formatPrompt(request, { baseline: '', since, note: formatFilesNote(without) })
  return images.length === 0 ? text : [{ type: 'text', text }, ...images]
}
