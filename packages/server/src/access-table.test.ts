import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Role } from '@panoptes/schema'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { createNeeds } from './access.ts'
import { createApp } from './app.ts'
import type { AppContext, ServerContext, SpaceServer } from './app-context.ts'
import type { Caller, CallerLookup } from './authenticate.ts'
import { createAuthorize } from './authorize.ts'
import { createAllowedHosts } from './hosts.ts'
import { openApiDocument } from './openapi.ts'
import { createRoutes } from './routes/index.ts'
import { createRouter } from './space-server.ts'

const TABLE = join(import.meta.dirname, '..', '..', '..', 'docs', 'team-access.md')
const SECURITY = join(import.meta.dirname, '..', '..', '..', 'SECURITY.md')
const HOST = '127.0.0.1:80'

/** Stands in for every module of the server, so that every route is created. */
const anything: never = new Proxy(() => anything, {
  get: (_target, name) => (name === Symbol.iterator || name === 'then' ? undefined : anything),
}) as never

/** All routes, each answering only that it was reached. */
const routes = createRoutes(anything as AppContext).map((route) => ({
  ...route,
  answer: () => new Response('reached'),
}))

const endpointOf = ({ method, path }: (typeof routes)[number]): string =>
  `${method} ${path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')}`

interface Row {
  readonly endpoint: string
  readonly scopes: readonly string[]
  readonly role: string
}

/** A hub has no forwarding, since it is where other computers forward to. */
const OF_ONE_COMPUTER: readonly Row[] = [{ endpoint: 'POST /api/forward', scopes: ['full'], role: 'admin' }]

/**
 * The expected access, as docs/team-access.md lists it. The full test tier makes the same requests to a real hub.
 */
const table: readonly Row[] = [
  ...readFileSync(TABLE, 'utf8').matchAll(/^\| `([A-Z]+ [^`]+)` \| ([^|]+) \| ([^|]+) \|/gm),
].map(([, endpoint = '', scopes = '', role = '']) => ({ endpoint, scopes: scopes.split(', '), role }))

const spaceServer = {
  space: 'main',
  needOf: createNeeds(routes),
  sharing: () => undefined,
  router: createRouter(
    { options: { log: pino({ level: 'silent' }) }, page: anything } as unknown as AppContext,
    routes,
  ),
} as unknown as SpaceServer

const callers: Record<string, Partial<Caller>> = {}
const authorize = createAuthorize({
  hosts: createAllowedHosts('127.0.0.1', 80, []),
  find: ({ headers: { authorization } }): CallerLookup => {
    if (authorization === undefined) return { refused: 'none' }
    const caller = callers[authorization]
    if (caller === undefined) return { refused: 'unknown' }
    return {
      caller: { scope: 'full', role: 'viewer', space: 'main', home: false, ...caller } as Caller,
      checkAccess: () => true,
    }
  },
  openSpaces: { home: () => spaceServer, of: () => spaceServer },
  team: true,
  waitForStart: async () => undefined,
})
const app = createApp(
  {
    options: { log: pino({ level: 'silent' }) },
    requestMetrics: { observe: () => undefined },
    links: { redeem: () => false },
  } as unknown as ServerContext,
  authorize,
)

/** The status that an endpoint returns for these credentials, without a socket in between. */
async function ask(endpoint: string, shown?: string | Partial<Caller>): Promise<number> {
  const [method = '', described = ''] = endpoint.split(' ')
  const path = described.replace(/\{\w+\}/g, 'none')
  const authorization = typeof shown === 'object' ? JSON.stringify(shown) : shown
  if (typeof shown === 'object') callers[authorization ?? ''] = shown
  const headers = { host: HOST, ...(authorization === undefined ? {} : { authorization }) }
  const incoming = { method, headers, socket: {} } as IncomingMessage
  const asked = new Request(`http://${HOST}${path}`, { method })
  return (await app.fetch(asked, { incoming, outgoing: {} as ServerResponse })).status
}

const SCOPES = ['ingest', 'gateway', 'metrics'] as const
/** Translates the words of the table to those of the OpenAPI document. */
const DESCRIBED_SCOPE: Readonly<Record<string, string>> = { open: 'nothing', signed: 'a signature' }
const DESCRIBED_ROLE: Readonly<Record<string, string>> = {
  home: 'the hub’s own token files',
  main: 'admin of main',
}
const LOWER: Readonly<Record<string, Role>> = { member: 'viewer', admin: 'member' }

/** The caller with the least rights that suffice, and a full token with too few rights. */
function rightAndLower(role: string): { right: Partial<Caller>; lower: Partial<Caller> | undefined } {
  if (role === 'the hub’s own token files')
    return { right: { role: 'admin', home: true }, lower: { role: 'admin' } }
  if (role === 'admin of main') return { right: { role: 'admin' }, lower: { role: 'admin', space: 'other' } }
  const lower = LOWER[role]
  return { right: { role: role as Role }, lower: lower && { role: lower } }
}

const isRoute = ({ endpoint }: Row): boolean => routes.some((route) => endpointOf(route) === endpoint)
const endpoints = [...table.filter(isRoute), ...OF_ONE_COMPUTER]
const isOpen = ({ scopes: [scope] }: Row): boolean => scope === 'nothing' || scope === 'a signature'

describe('the access table of all endpoints', () => {
  it('lists exactly the routes of the server', () => {
    expect(routes.map(endpointOf).toSorted()).toEqual(endpoints.map(({ endpoint }) => endpoint).toSorted())
    expect(table.filter((row) => !isRoute(row)).map(({ endpoint }) => endpoint)).toEqual([
      'GET /stream (WebSocket)',
      'GET / (the page)',
      'GET /nothing/here',
      'POST /v1/nothing',
    ])
  })

  it('agrees with the OpenAPI document', () => {
    const { paths } = openApiDocument(routes, '1.2.3') as {
      paths: Record<string, Record<string, { 'x-scope': string; 'x-role'?: Role; 'x-only'?: string }>>
    }
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        DESCRIBED_SCOPE[operation['x-scope']] ?? operation['x-scope'],
        DESCRIBED_ROLE[operation['x-only'] ?? ''] ?? operation['x-role'] ?? '—',
      ]),
    )
    expect(described.toSorted()).toEqual(
      endpoints.map(({ endpoint, scopes, role }) => [endpoint, scopes[0], role]).toSorted(),
    )
  })

  it('opens only these routes to a request without a token', () => {
    expect(endpoints.filter(isOpen).map(({ endpoint }) => endpoint)).toEqual([
      'GET /auth/callback',
      'GET /auth/sign-in',
      'POST /auth/sign-out',
      'POST /auth/token',
      'GET /health',
      'POST /hooks/hermes',
      'GET /ready',
    ])
  })

  it('opens the routes that SECURITY.md names, and no others', () => {
    const [, section = ''] = readFileSync(SECURITY, 'utf8').split('### Endpoints that need no token')
    const [rows = ''] = section.split('Everything else needs a token')
    const named = [...rows.matchAll(/`((?:GET|POST) [^`]+)`/g)].map(([, endpoint]) => endpoint)
    expect(named.toSorted()).toEqual(
      endpoints
        .filter(isOpen)
        .map(({ endpoint }) => endpoint)
        .toSorted(),
    )
  })

  it.each(endpoints.filter(isOpen))('lets anybody reach $endpoint', async ({ endpoint }) => {
    expect(await ask(endpoint)).toBe(200)
  })

  it.each(endpoints.filter((row) => !isOpen(row)))(
    'refuses $endpoint without a token, with a wrong one, and with one that has too few rights',
    async ({ endpoint, scopes, role }) => {
      const { right, lower } = rightAndLower(role)
      expect([await ask(endpoint), await ask(endpoint, 'Bearer wrong')]).toEqual([401, 401])
      for (const scope of SCOPES)
        expect([scope, await ask(endpoint, { ...right, scope })]).toEqual([
          scope,
          scopes.includes(scope) ? 200 : 403,
        ])
      if (lower) expect(await ask(endpoint, lower)).toBe(403)
      expect(await ask(endpoint, right)).toBe(200)
    },
  )
})
