import { setTimeout as wait } from 'node:timers/promises'
import { failedWith } from '../failed.ts'
import { textOf } from '../fields.ts'
import { isGoingOn } from '../handed-over.ts'
import type { RuntimeRequest } from '../port.ts'
import { completionBody, runBody, sessionBody } from './asking.ts'
import { type Capabilities, notHermes, type Way } from './capabilities.ts'
import type { Refused } from './refused.ts'
import { call, newSession, runPath } from './server.ts'
import type { Ended, Turn } from './turn.ts'
import { ask, jsonOf, type Reply } from './wire.ts'

/** Asks by the way that the server offers, up to the end of the answer. */
export function answered(turn: Turn, capabilities: Capabilities): Promise<Ended> {
  // What it calls itself is no model: whoever names that wants the usual one.
  const { request } = turn
  const asked = request.model === capabilities.model ? { ...request, model: null } : request
  return byWay(capabilities.way, turn, asked, capabilities)
}

/** What is offered and not there after all is no reason to give up. */
async function byWay(
  way: Way,
  turn: Turn,
  asked: RuntimeRequest,
  capabilities: Capabilities,
): Promise<Ended> {
  turn.way = way
  if (way === 'completions') return byCompletion(turn, asked, capabilities)
  const ended = way === 'session' ? await bySession(turn, asked) : await byRun(turn, asked, capabilities)
  if (ended !== ABSENT) return ended
  turn.session = null
  return byWay(way === 'session' ? 'runs' : 'completions', turn, asked, capabilities)
}

const ABSENT = Symbol('there is no such way')

const isAbsent = ({ status }: Refused): boolean => status === 404 || status === 405 || status === 501

async function bySession(turn: Turn, request: RuntimeRequest): Promise<Ended | typeof ABSENT> {
  const { server } = turn
  const known = textOf(request.continuity?.session_id)
  let remembers = known !== '' && !server.left.has(known) && isGoingOn(request, 'hermes')
  let session = remembers ? known : await opened(turn)
  for (;;) {
    if (typeof session !== 'string') return isAbsent(session) ? ABSENT : session.failed
    turn.session = session
    const path = `/api/sessions/${encodeURIComponent(session)}/chat/stream`
    const reply = await turn.start(path, sessionBody(request, remembers))
    if (!('failed' in reply)) return turn.read(reply)
    if (!remembers) return isAbsent(reply) ? ABSENT : reply.failed
    if (reply.status !== 404) return reply.failed
    // It is gone: a new one is told everything.
    remembers = false
    session = await opened(turn)
  }
}

async function opened(turn: Turn): Promise<string | Refused> {
  turn.step('session', 'started', 'Opening a session')
  const session = await newSession(turn.server, turn.context.signal)
  turn.step('session', typeof session === 'string' ? 'completed' : 'failed', 'Opening a session')
  return session
}

/** It is told everything each time: a run reads nothing of the session that it is written to. */
async function byRun(
  turn: Turn,
  request: RuntimeRequest,
  { hasRunEvents }: Capabilities,
): Promise<Ended | typeof ABSENT> {
  const { server } = turn
  const session = textOf(request.continuity?.session_id) || `panoptes-${request.conversation_id}`
  turn.session = session
  const started = await turn.start('/v1/runs', runBody(request, session))
  if ('failed' in started) return isAbsent(started) ? ABSENT : started.failed
  const named = await jsonOf(started, server.limits.beginMs)
  const run = textOf(named?.run_id) || textOf(named?.id)
  if (run === '') return failedWith('malformed', 'Hermes began a run without a name.')
  turn.told.runId = run
  turn.named.resolve()
  const events = hasRunEvents ? await eventsOfRun(turn, run) : null
  if (events !== null) {
    const ended = await turn.read(events)
    // One that broke off may still be at work: what became of it is asked for.
    if (ended.type !== 'failed' || turn.told.ended !== null || ended.code === 'malformed') return ended
  }
  return polled(turn, run)
}

async function eventsOfRun({ server, line }: Turn, run: string): Promise<Reply | null> {
  const { place, limits } = server
  const asked = { method: 'GET', path: `${runPath(run)}/events`, accept: 'text/event-stream' } as const
  const reply = await ask(place, { ...asked, signal: line.signal, ms: limits.beginMs })
  if ('type' in reply) return null
  if (reply.status === 200) return reply
  reply.body.destroy()
  return null
}

async function polled(turn: Turn, run: string): Promise<Ended> {
  const { limits } = turn.server
  const { signal } = turn.context
  const until = turn.heardAt + limits.silentMs
  let seen = Date.now()
  let isAsked = false
  while (Date.now() < until) {
    if (signal.aborted) return { type: 'end', outcome: 'cancelled' }
    const got = await call(turn.server, 'GET', runPath(run), { signal })
    if (got.ok) {
      seen = Date.now()
      turn.push(turn.told.status(got.value))
      if (turn.told.ended !== null) return turn.ended()
      const isWaiting = got.value.status === 'waiting_for_approval'
      if (isWaiting && !isAsked)
        turn.approve({ description: 'Hermes wants to do something, and does not say what' })
      isAsked = isWaiting
    } else if (got.status === 404)
      return failedWith('died', 'Hermes was started anew in the middle of its answer. Ask again.')
    else if (got.failed.code === 'unauthorized') return got.failed
    else if (Date.now() - seen > limits.goneMs)
      return failedWith('died', 'Hermes broke off in the middle of its answer. Ask again when it runs.')
    await wait(limits.pollMs, undefined, { signal }).catch(() => {})
  }
  return failedWith('timed_out', `Hermes was not at its end within ${Math.ceil(limits.silentMs / 1_000)} s.`)
}

/** Here too it is told everything: with a session of its own it would ignore what others said. */
async function byCompletion(
  turn: Turn,
  request: RuntimeRequest,
  { model, isGuess }: Capabilities,
): Promise<Ended> {
  const reply = await turn.start('/v1/chat/completions', completionBody(request, model ?? 'hermes-agent'))
  if ('failed' in reply) return isGuess && isAbsent(reply) ? notHermes(turn.server.place) : reply.failed
  const session = reply.headers['x-hermes-session-id']
  turn.session = typeof session === 'string' ? session.slice(0, 256) : null
  return turn.read(reply)
}
