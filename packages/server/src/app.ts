import { randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { awayPage } from './away-page.ts'
import { bodyIsOf } from './body.ts'
import { idOf } from './callers.ts'
import type { Front } from './front.ts'
import type { Guard, Judgement } from './guard.ts'
import { securityHeaders } from './headers.ts'
import { logRequest } from './log.ts'
import { isNavigation } from './navigation.ts'
import { ownPath } from './people/sign-in/sign-in.ts'
import { unexpected } from './problem.ts'
import { refuserOf } from './refuse.ts'
import { json } from './route.ts'
import { sharedHeaders } from './sharing.ts'
import { signedIn, signInPage } from './sign-in.ts'

interface Environment {
  Bindings: HttpBindings
}

type Ctx = Context<Environment>
export type App = Hono<Environment>

/** Judges every request, hands it to the site it belongs to, and gives every answer what all of them carry. */
export function createApp(front: Front, guard: Guard): App {
  const app: App = new Hono<Environment>()
  const { log, typed } = front.options
  const refuse = refuserOf(typed)

  app.all('*', async (c) => {
    const started = performance.now()
    const { incoming } = c.env
    const { headers, method = 'GET' } = incoming
    const { path } = c.req
    const requestId = randomUUID()
    const asked = {
      method,
      path,
      search: new URL(c.req.url).search,
      headers,
      peer: incoming.socket.remoteAddress,
      local: incoming.socket.localAddress,
      proxies: front.proxies,
    }
    const judged = await guard(asked)
    if (judged.ok && judged.caller) front.people?.underWay.add(c.env.outgoing, judged.standing)
    let target: string | null = null
    const about = (what: string) => {
      target = what
    }
    const answer = async (): Promise<Response> => {
      if (!judged.ok && judged.refusal.code === 'not_ready' && path === '/health')
        return json({ ok: true, version: front.options.version })
      const early = signIn(c, front, judged)
      if (early) return early
      if (!judged.ok) return refuse(judged.refusal, requestId, path)
      const { caller } = judged
      if (!caller?.home) bodyIsOf(incoming, caller ? idOf(caller) : null)
      const passed = { ...c.env, requestId, caller, about, asked }
      return judged.site.router.fetch(c.req.raw, passed)
    }
    const answered = await answer().catch((error: Error) => {
      log.error({ request_id: requestId, error: error.message, stack: error.stack }, 'unexpected error')
      return refuse(unexpected, requestId, path)
    })
    const because = judged.ok ? undefined : judged.refusal.detail
    const shown = awayPage({ method, path, headers, answer: answered, because }) ?? answered
    const given = finish(shown, requestId, headers.host, judged)
    const { status } = given
    front.answered.heard(status, performance.now() - started)
    front.people?.audit.heard({ asked, judged, status, target })
    logRequest(log, {
      requestId,
      method,
      path,
      status,
      started,
      caller: judged.ok ? judged.caller : undefined,
    })
    return given
  })
  return app
}

/** The one-time link, and a page instead of JSON for a browser that is not signed in. */
function signIn(c: Ctx, front: Front, judged: Judgement): Response | undefined {
  const { headers } = c.env.incoming
  const { options, people } = front
  const hub = people && { provider: people.signIn?.provider ?? null, to: ownPath(c.req.path) }
  const offer = { headers, command: options.command ?? 'panoptes', hub }
  if (c.req.method !== 'GET' || (!judged.ok && judged.refusal.status !== 401)) return undefined
  const code = c.req.path === '/' ? c.req.query('link') : undefined
  if (code !== undefined) {
    if (front.links.redeem(code) || (judged.ok && judged.caller?.home))
      return signedIn(front.credentials.cookie())
    // Somebody of the team is signed in as themselves, and has nothing of this home.
    return judged.ok ? signedIn() : signInPage(offer, 'old_link')
  }
  if (!isNavigation(headers)) return undefined
  if (!judged.ok) return signInPage(offer, 'no_token', secondTry(c))
  return c.req.query(AGAIN) === undefined
    ? undefined
    : new Response(null, { status: 303, headers: { location: c.req.path } })
}

const AGAIN = 'again'

/**
 * A browser that follows a link of another site keeps its cookie back. Sent on by this server's own page it has it with it;
 * once only, and to another address, since the same one would count as the same visit.
 */
function secondTry(c: Ctx): string | undefined {
  const foreign = c.env.incoming.headers['sec-fetch-site'] === 'cross-site'
  const plain = /^\/(?:[\w.-]+\/?)*$/.test(c.req.path)
  return foreign && plain && c.req.query(AGAIN) === undefined ? `${c.req.path}?${AGAIN}=1` : undefined
}

/** What every answer carries; what an answer says itself stays. */
function finish(answer: Response, requestId: string, host: string | undefined, judged: Judgement): Response {
  const known = judged.ok || judged.refusal.status !== 421
  for (const [name, value] of Object.entries(securityHeaders(known ? host : undefined))) {
    if (!answer.headers.has(name)) answer.headers.set(name, value)
  }
  answer.headers.set('x-request-id', requestId)
  if (judged.visitor === undefined) return answer
  for (const [name, value] of Object.entries(sharedHeaders(judged.visitor))) answer.headers.set(name, value)
  return answer
}
