import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Caller } from './callers.ts'
import { type Asked, NAMED_SPACE } from './guard.ts'
import type { Kit } from './kit.ts'
import { isNavigation } from './navigation.ts'
import { notAllowed, notFound, unexpected } from './problem.ts'
import { type Refuser, refuserOf } from './refuse.ts'
import type { Route } from './route.ts'

/** What the front knows of a request that it lets in. */
export interface Passed {
  readonly requestId: string
  readonly caller: Caller | undefined
  readonly about: (target: string) => void
  readonly asked: Asked
}

interface Environment {
  Bindings: HttpBindings & Passed
}

type Ctx = Context<Environment>
export type Router = Hono<Environment>

/** Hands what was let in to its route, else to the page. */
export function createRouter(kit: Kit, routes: readonly Route[]): Router {
  const router: Router = new Hono<Environment>()
  const { log } = kit.options
  const said: Refuser = refuserOf(kit.options.typed)
  const refuse = (refusal: Parameters<Refuser>[0], c: Ctx) => said(refusal, c.env.requestId, c.req.path)

  for (const route of routes) {
    const names = targetOf(route.path)
    router.on(route.method, route.path, async (c) => {
      const { caller, incoming, about, asked } = c.env
      const params = c.req.param() as Record<string, string>
      const named = names.map((name) => params[name]).join('/')
      // A route may say it better.
      if (named !== '') about(named.slice(0, LONGEST_TARGET))
      const url = new URL(c.req.url)
      url.searchParams.delete(NAMED_SPACE)
      const reply = await route.answer({ url, params, caller, incoming, about, asked })
      return reply instanceof Response ? reply : refuse(reply, c)
    })
  }
  for (const [path, methods] of methodsByPath(routes)) {
    router.all(path, (c) => refuse(notAllowed(c.req.method, c.req.path, methods), c))
  }
  const missing = (c: Ctx) => refuse(notFound(c.req.path), c)
  router.get('*', async (c) => (await pageAnswer(c, kit)) ?? missing(c))
  router.notFound(missing)
  router.onError((error, c) => {
    log.error({ request_id: c.env.requestId, error: error.message, stack: error.stack }, 'unexpected error')
    return refuse(unexpected, c)
  })
  return router
}

const LONGEST_TARGET = 500

/**
 * What the audit log names. A session may be forgotten, and then nothing may tell that it was: of those, and of templates, whose names may be
 * of one, only the kind of agent is told.
 */
const targetOf = (path: string): readonly string[] =>
  OF_SESSIONS.test(path)
    ? [...path.matchAll(/:(source)\b/g)].map(([, name = '']) => name)
    : [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

const OF_SESSIONS = /^\/api\/(?:past\/sessions|agents|sessions|templates)\//

const MACHINE_PATH = /^\/(?:api|v1|hooks|events|stream|health|ready|metrics|auth)(?:\/|$)/

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

function methodsByPath(routes: readonly Route[]): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>()
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method])
  for (const list of methods.values()) if (list.includes('GET')) list.push('HEAD')
  return methods
}
