import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Caller } from './credentials.ts'
import { isGatewayPath, refusedBody } from './gateway/errors.ts'
import type { Guard, Judgement } from './guard.ts'
import { securityHeaders } from './headers.ts'
import type { Kit } from './kit.ts'
import { logRequest } from './log.ts'
import { notAllowed, notFound, PROBLEM_TYPE, problemBody, type Refusal, unexpected } from './problem.ts'
import { JSON_TYPE, type Route } from './route.ts'
import { sharedHeaders } from './sharing.ts'
import { signedIn, signInPage } from './sign-in.ts'

interface Environment {
  Bindings: HttpBindings
  Variables: { requestId: string; caller: Caller | undefined }
}

type Ctx = Context<Environment>
export type App = Hono<Environment>

export function createApp(kit: Kit, guard: Guard, routes: readonly Route[]): App {
  const app: App = new Hono<Environment>()
  const { log } = kit.options
  const refuse = refuserOf(kit.options.typed)

  app.use('*', async (c, next) => {
    const started = performance.now()
    const { headers, method = 'GET' } = c.env.incoming
    const requestId = randomUUID()
    c.set('requestId', requestId)
    const judged = guard({ method, path: c.req.path, search: new URL(c.req.url).search, headers })
    const early = signIn(c, kit, judged)
    if (early) c.res = early
    else if (!judged.ok) c.res = refuse(judged.refusal, requestId, c.req.path)
    else {
      c.set('caller', judged.caller)
      await next()
    }
    finish(c.res, requestId, headers.host, judged)
    logRequest(log, {
      requestId,
      method,
      path: c.req.path,
      status: c.res.status,
      started,
      caller: c.get('caller'),
    })
  })

  for (const route of routes) {
    app.on(route.method, route.path, async (c) => {
      const call = {
        url: new URL(c.req.url),
        params: c.req.param() as Record<string, string>,
        caller: c.get('caller'),
        incoming: c.env.incoming,
      }
      const reply = await route.answer(call)
      return reply instanceof Response ? reply : refuse(reply, c.get('requestId'), c.req.path)
    })
  }
  for (const [path, methods] of methodsByPath(routes)) {
    app.all(path, (c) =>
      refuse(notAllowed(c.req.method, c.req.path, methods), c.get('requestId'), c.req.path),
    )
  }
  const missing = (c: Ctx) => refuse(notFound(c.req.path), c.get('requestId'), c.req.path)
  app.get('*', async (c) => (await pageAnswer(c, kit)) ?? missing(c))
  app.notFound(missing)
  app.onError((error, c) => {
    log.error(
      { request_id: c.get('requestId'), error: error.message, stack: error.stack },
      'unexpected error',
    )
    return refuse(unexpected, c.get('requestId'), c.req.path)
  })
  return app
}

/** The one-time link, and a page instead of JSON for a browser that is not signed in. */
function signIn(c: Ctx, kit: Kit, judged: Judgement): Response | undefined {
  const { headers } = c.env.incoming
  const { command = 'panoptes' } = kit.options
  if (c.req.method !== 'GET' || (!judged.ok && judged.refusal.status !== 401)) return undefined
  const code = c.req.path === '/' ? c.req.query('link') : undefined
  if (code !== undefined) {
    if (kit.links.redeem(code) || judged.ok) return signedIn(kit.credentials.cookie())
    return signInPage({ headers, command }, 'old_link')
  }
  if (!isNavigation(headers)) return undefined
  if (!judged.ok) return signInPage({ headers, command }, 'no_token', secondTry(c))
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

const isNavigation = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-mode'] === 'navigate' || (headers.accept?.includes('text/html') ?? false)

const MACHINE_PATH = /^\/(?:api|v1|hooks|events|stream|health|metrics)(?:\/|$)/

async function pageAnswer(c: Ctx, kit: Kit): Promise<Response | undefined> {
  const { path } = c.req
  if (MACHINE_PATH.test(path)) return undefined
  const { headers } = c.env.incoming
  return kit.page.answer({
    path: path === '/' ? '/index.html' : path,
    navigates: isNavigation(headers),
    acceptEncoding: String(headers['accept-encoding'] ?? ''),
    ifNoneMatch: headers['if-none-match'],
  })
}

type Refuser = (refusal: Refusal, requestId: string, path?: string) => Response

const refuserOf =
  (typed = (text: string): string => text): Refuser =>
  (refusal, requestId, path = '') => {
    const said = { ...refusal, detail: typed(refusal.detail), next: typed(refusal.next) }
    const [body, type] = isGatewayPath(path)
      ? [refusedBody(said), JSON_TYPE]
      : [problemBody(said, requestId), PROBLEM_TYPE]
    return new Response(body, {
      status: refusal.status,
      headers: { ...refusal.headers, 'content-type': type },
    })
  }

/** What every answer carries; what an answer says itself stays. */
function finish(answer: Response, requestId: string, host: string | undefined, judged: Judgement): void {
  const known = judged.ok || judged.refusal.status !== 421
  for (const [name, value] of Object.entries(securityHeaders(known ? host : undefined))) {
    if (!answer.headers.has(name)) answer.headers.set(name, value)
  }
  answer.headers.set('x-request-id', requestId)
  if (judged.visitor === undefined) return
  for (const [name, value] of Object.entries(sharedHeaders(judged.visitor))) answer.headers.set(name, value)
}

function methodsByPath(routes: readonly Route[]): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>()
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method])
  for (const list of methods.values()) if (list.includes('GET')) list.push('HEAD')
  return methods
}
