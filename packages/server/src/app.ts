import { randomBytes, randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Logger } from 'pino'
import type { PassedRequest, ServerContext } from './app-context.ts'
import { toOwnPath } from './auth/sign-in/sign-in.ts'
import { type Caller, callerId } from './authenticate.ts'
import type { Authorization, Authorize } from './authorize.ts'
import { browserName } from './browser-name.ts'
import { corsHeaders } from './cors.ts'
import { cookieValue } from './credentials.ts'
import { isNavigation, securityHeaders } from './headers.ts'
import { peerUser } from './peer-user.ts'
import { escapeHtml, type PlainPage, plainPage } from './plain-page.ts'
import { unexpected } from './problem.ts'
import { createRefuser } from './refusals.ts'
import { setBodyOwner } from './request-body.ts'
import { healthResponse } from './routes/state.ts'
import { codePage, redirectSignedIn, type SignInOffer, signInPage } from './sign-in.ts'

interface Environment {
  Bindings: HttpBindings
}

type Ctx = Context<Environment>
export type App = Hono<Environment>

/**
 * Authorizes every request, hands it to the space it belongs to, and adds to every answer the headers that
 * all of them carry.
 */
export function createApp(serverContext: ServerContext, authorize: Authorize): App {
  const app: App = new Hono<Environment>()
  const { log, rewriteCommands } = serverContext.options
  const refuse = createRefuser(rewriteCommands)

  app.all('*', async (c) => {
    const started = performance.now()
    const { incoming } = c.env
    const { headers, method = 'GET' } = incoming
    const { path } = c.req
    const requestId = randomUUID()
    const requestHead = {
      method,
      path,
      search: new URL(c.req.url).search,
      headers,
      peer: incoming.socket.remoteAddress,
      local: incoming.socket.localAddress,
      proxies: serverContext.proxies,
    }
    const authorization = await authorize(requestHead)
    if (authorization.ok && authorization.caller)
      serverContext.people?.inFlight.add(c.env.outgoing, authorization.checkAccess)
    let target: string | null = null
    const setTarget = (what: string) => {
      target = what
    }
    const answer = async (): Promise<Response> => {
      if (!authorization.ok && authorization.refusal.code === 'not_ready' && path === '/health')
        return healthResponse(
          {
            version: serverContext.options.version,
            home: serverContext.options.paths,
            tokens: serverContext.tokens,
          },
          headers,
        )
      const early = await signIn(c, serverContext, authorization)
      if (early) return early
      if (!authorization.ok) return refuse(authorization.refusal, requestId, path)
      const { caller } = authorization
      if (!caller?.home) setBodyOwner(incoming, caller ? callerId(caller) : null)
      const passed: PassedRequest = { ...c.env, requestId, caller, setTarget, requestHead }
      return authorization.spaceServer.router.fetch(c.req.raw, passed)
    }
    const answered = await answer().catch((error: Error) => {
      log.error({ request_id: requestId, error: error.message, stack: error.stack }, 'unexpected error')
      return refuse(unexpected, requestId, path)
    })
    const because = authorization.ok ? undefined : authorization.refusal.detail
    const shown = outagePage({ method, path, headers, answer: answered, because }) ?? answered
    const response = addHeaders(shown, requestId, headers.host, authorization)
    const { status } = response
    serverContext.requestMetrics.observe(status, performance.now() - started)
    serverContext.people?.audit.record({ requestHead, authorization: authorization, status, target })
    logRequest(log, {
      requestId,
      method,
      path,
      status,
      started,
      caller: authorization.ok ? authorization.caller : undefined,
    })
    return response
  })
  return app
}

/** Handles the one-time link, and shows a sign-in page instead of JSON to a browser that is not signed in. */
async function signIn(
  c: Ctx,
  serverContext: ServerContext,
  authorization: Authorization,
): Promise<Response | undefined> {
  const { headers } = c.env.incoming
  const { options, people } = serverContext
  const hub = people && { provider: people.signIn?.provider ?? null, to: toOwnPath(c.req.path) }
  const offer = { headers, command: options.command ?? 'panoptes', hub }
  if (c.req.method !== 'GET' || (!authorization.ok && authorization.refusal.status !== 401)) return undefined
  const code = c.req.path === '/' ? c.req.query('link') : undefined
  if (code !== undefined) return redeemLink(c, serverContext, authorization, { code, offer })
  if (!isNavigation(headers)) return undefined
  if (!authorization.ok) return signInPage(offer, 'no_token', retryPath(c))
  return c.req.query(AGAIN) === undefined
    ? undefined
    : new Response(null, { status: 303, headers: { location: c.req.path } })
}

/**
 * Redeems a one-time link. Other users of the computer can read the link in the process list, so it must sign in
 * only the user who runs Panoptes.
 */
async function redeemLink(
  c: Ctx,
  { links, credentials, confirmations, port, options: { log } }: ServerContext,
  authorization: Authorization,
  { code, offer }: { readonly code: string; readonly offer: SignInOffer },
): Promise<Response> {
  const { headers, socket } = c.env.incoming
  const browser = browserName(headers['user-agent'])
  /** A link works for one browser, so redeeming it withdraws the codes that other browsers were shown for it. */
  const redeem = () => {
    confirmations.withdraw(signInKey(code))
    return links.redeem(code)
  }
  if (authorization.ok && authorization.caller?.home) {
    redeem()
    return authorization.caller.via === 'cookie'
      ? redirectSignedIn()
      : redirectSignedIn(credentials.signIn(browser))
  }
  const asksName = `panoptes_asks_${port}`
  const shown = cookieValue(headers.cookie, asksName) ?? ''
  const asks = ASKS.test(shown) ? shown : undefined
  const formatAsksCookie = (value: string, seconds: number) =>
    `${asksName}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}`
  if (asks !== undefined && confirmations.take(signInKey(code, asks)) && redeem())
    return redirectSignedIn(credentials.signIn(browser), formatAsksCookie('', 0))
  if (links.isOpen(code)) {
    const user = await peerUser(socket, headers)
    if (user === 'other') {
      log.warn('another user of this computer opened a sign-in link')
      return signInPage(offer, 'other_user')
    }
    if (user === 'same' && redeem()) return redirectSignedIn(credentials.signIn(browser))
    if (user === 'unknown') {
      const own = asks ?? randomBytes(24).toString('base64url')
      const asked = confirmations.ask(signInKey(code, own), `${browser} is signed in`)
      return asked === undefined
        ? signInPage(offer, 'too_many')
        : codePage(offer, asked.code, formatAsksCookie(own, ASKS_S))
    }
  }
  // A team member who is signed in stays who they are; the link gives them nothing of this home.
  return authorization.ok ? redirectSignedIn() : signInPage(offer, 'old_link')
}

const ASKS_S = 600
const ASKS = /^[\w-]{32}$/
const signInKey = (link: string, asks = '') => `sign-in ${link} ${asks}`

const AGAIN = 'again'

/**
 * A browser that follows a link from another site withholds its SameSite cookie. A redirect from a page of this
 * server makes the browser send it. The redirect goes to another URL, since the browser would treat the same one as
 * the same visit, and it happens only once.
 */
function retryPath(c: Ctx): string | undefined {
  const foreign = c.env.incoming.headers['sec-fetch-site'] === 'cross-site'
  const plain = /^\/(?:[\w.-]+\/?)*$/.test(c.req.path)
  return foreign && plain && c.req.query(AGAIN) === undefined ? `${c.req.path}?${AGAIN}=1` : undefined
}

/** Adds the headers that every answer carries, without replacing those that the answer sets itself. */
function addHeaders(
  answer: Response,
  requestId: string,
  host: string | undefined,
  authorization: Authorization,
): Response {
  const isOwnHost = authorization.ok || authorization.refusal.status !== 421
  for (const [name, value] of Object.entries(securityHeaders(isOwnHost ? host : undefined))) {
    if (!answer.headers.has(name)) answer.headers.set(name, value)
  }
  answer.headers.set('x-request-id', requestId)
  if (authorization.visitor === undefined) return answer
  for (const [name, value] of Object.entries(corsHeaders(authorization.visitor)))
    answer.headers.set(name, value)
  return answer
}

interface AnsweredRequest {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly started: number
  readonly caller: Caller | undefined
}

/**
 * Logs one line per answer. It never logs the query, a header or the body: tokens and one-time links travel there.
 */
function logRequest(log: Logger, answered: AnsweredRequest): void {
  const { requestId, method, path, status, started, caller } = answered
  const level =
    status >= 500 ? 'error' : status === 401 || status === 403 || status === 421 ? 'warn' : 'debug'
  if (!log.isLevelEnabled(level)) return
  log[level](
    {
      request_id: requestId,
      method,
      path: path.slice(0, 200),
      status,
      ms: Math.round((performance.now() - started) * 10) / 10,
      scope: caller?.scope,
    },
    'request',
  )
}

const AGAIN_S = 3

interface OutagePageOptions {
  readonly method: string
  readonly path: string
  readonly headers: PlainPage['headers']
  readonly answer: Response
  /** The cause, in words that are safe to show to anybody. */
  readonly because?: string | undefined
}

/** Shows a page that retries by itself to a browser that navigates while nothing can be answered. */
export function outagePage({
  method,
  path,
  headers,
  answer,
  because = GENERAL,
}: OutagePageOptions): Response | undefined {
  if (answer.status !== 503 || !isNavigation(headers)) return undefined
  const body = `<h1>Panoptes is unavailable right now</h1>
<p>${escapeHtml(because)}</p>
<p>This page tries again every ${AGAIN_S} seconds. Computers keep their events until the hub accepts them.</p>
<p><a class="go" href="/">Try again now</a></p>`
  // Only a GET outside of `/auth/` is safe to repeat: a form was already sent, and the code from a sign-in provider
  // works once.
  const isGoodAgain = method === 'GET' && !path.startsWith('/auth/')
  const page = plainPage({
    status: 503,
    headers,
    title: 'Unavailable',
    body,
    again: { seconds: AGAIN_S, ...(isGoodAgain ? {} : { at: '/' }) },
  })
  const wait = answer.headers.get('retry-after')
  if (wait !== null) page.headers.set('retry-after', wait)
  return page
}

const GENERAL = 'The database of Panoptes does not answer.'
