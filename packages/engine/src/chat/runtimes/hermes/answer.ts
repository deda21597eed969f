import { setTimeout as wait } from 'node:timers/promises'
import { failedWith } from '../failed.ts'
import type { RunContext, RuntimeEvent, RuntimeRequest } from '../port.ts'
import { isHere } from './key.ts'
import { type Server, stopRun } from './server.ts'
import { type Ended, Turn } from './turn.ts'
import { answered } from './ways.ts'

/** How long it is waited for the name of what is to be stopped. */
const NAMELESS_MS = 2_000
const MOST_LEFT = 1_000

/** One message to an API server, from its beginning to its end. Whoever is stopped ends here at once, and is told so at Hermes. */
export async function* answerOf(
  server: Server,
  request: RuntimeRequest,
  context: RunContext,
): AsyncGenerator<RuntimeEvent, undefined> {
  const { signal } = context
  const turn = new Turn(server, request, context)
  const stop = () => turn.events.end()
  signal.addEventListener('abort', stop, { once: true })
  let ended: Ended | null = null
  try {
    if (signal.aborted) stop()
    else
      void worked(turn).then((with_) => {
        ended = with_
        turn.isOver = true
        turn.named.resolve()
        turn.push(turn.told.left('failed'))
        turn.events.end()
      })
    yield* turn.events.read()
    if (signal.aborted) yield* turn.told.left('skipped')
    const session = turn.told.sessionId ?? turn.session
    if (turn.wasTaken && session !== null) yield whose(server, session)
    yield signal.aborted || ended === null ? { type: 'end', outcome: 'cancelled' } : ended
  } finally {
    signal.removeEventListener('abort', stop)
    forgetSession(turn, ended)
    if (ended === null || mayRunOn(turn, ended)) leave(turn)
    else turn.line.abort()
  }
}

/** Where all of it is to be found; on this computer, or where Hermes is. */
const whose = ({ place }: Server, session: string): RuntimeEvent => ({
  type: 'attachment',
  attachment: {
    kind: 'session',
    title: 'Session of Hermes',
    data: { ...(isHere(place.url) ? { source: 'hermes' } : {}), session_id: session },
  },
})

async function worked(turn: Turn): Promise<Ended> {
  const { capabilities } = turn.server
  const isNew = !capabilities.isKnown()
  try {
    if (isNew) turn.step('reach', 'started', 'Reaching Hermes')
    const found = await capabilities.get(turn.context.signal)
    if (isNew) turn.step('reach', 'type' in found ? 'failed' : 'completed', 'Reaching Hermes')
    if ('type' in found) return found
    if (found.model !== null) turn.events.push({ type: 'model', model: turn.request.model ?? found.model })
    const ended = await answered(turn, found)
    // Whoever was gone may be another one when it is back.
    if (ended.type === 'failed' && (ended.code === 'died' || ended.code === 'unreachable'))
      capabilities.forget()
    return ended
  } catch (error) {
    return failedWith('internal', error instanceof Error ? error.message : 'It broke off.')
  }
}

/** It is not listened to any more, while Hermes may well be at work. */
const mayRunOn = ({ told, hasBegun }: Turn, ended: Ended): boolean =>
  hasBegun &&
  told.ended === null &&
  ended.type === 'failed' &&
  ended.code !== 'died' &&
  ended.code !== 'unreachable'

/** A session that saw more than it answered is not gone on with: what it knows is not what was said. */
function forgetSession({ server, way, session, hasBegun }: Turn, ended: Ended | null): void {
  if (way !== 'session' || session === null || !hasBegun) return
  if (ended?.type === 'end' && ended.outcome !== 'cancelled') return
  const [oldest] = server.left
  if (server.left.size >= MOST_LEFT && oldest !== undefined) server.left.delete(oldest)
  server.left.add(session)
}

/** Nobody waits for it; it is bounded in time. */
function leave(turn: Turn): void {
  if (!turn.hasBegun) {
    turn.line.abort()
    return
  }
  const { stopping } = turn.server
  const work = stopped(turn)
  stopping.add(work)
  void work.finally(() => stopping.delete(work))
}

async function stopped(turn: Turn): Promise<void> {
  const { server, told, way } = turn
  // By chat completions nothing has a name: whoever hangs up has stopped it.
  if (way !== 'completions' && told.runId === null)
    await Promise.race([turn.named.promise, wait(NAMELESS_MS, undefined, { ref: false })])
  if (told.ended === null && told.runId !== null && server.capabilities.last()?.canStop)
    await stopRun(server, told.runId)
  turn.line.abort()
}
