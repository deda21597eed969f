import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AppContext } from './app-context.ts'
import { createRoutes } from './routes/index.ts'
import { session, startTestServer, type TestServer } from './server.test-kit.ts'
import { createRouter } from './space-server.ts'

interface Operation {
  readonly summary: string
  readonly operationId: string
  readonly 'x-scope': string
  readonly parameters?: { readonly name: string; readonly in: string }[]
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
  >
}
interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

let kit: TestServer
let document: Document
beforeAll(async () => {
  kit = await startTestServer()
  await kit.post(session(1))
  document = (await (await kit.request('/api/openapi.json')).json()) as Document
})
afterAll(() => kit.stop())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

/** A request for each route that needs more than its path, and the expected answer. */
const sample = (path: string): readonly [asked: string, status: number] => {
  if (path === '/stream') return [path, 426]
  if (path === '/hooks/hermes') return [path, 401]
  if (path === '/v1/traces') return [path, 415]
  if (path.startsWith('/v1/')) return [path, 404]
  // The server of a single computer has no team.
  if (path === '/api/me/space' || path.startsWith('/api/me/tokens') || /^\/(?:api\/team|auth)\//.test(path))
    return [path, 404]
  if (path === '/api/timeline') return [`${path}?from=1&to=2`, 200]
  if (path === '/api/confirm') return [path, 400]
  if (path === '/api/browsers/{id}') return [path, 404]
  if (path.endsWith('/answer')) return [path.replace('{session}/{id}', 's1/main'), 400]
  return [path.replace('{scope}', 'ingest').replace('{session}/{id}', 's1/main'), 200]
}

describe('the OpenAPI document', () => {
  it('declares the required routes', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(
      operations()
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual([
      'DELETE /api/browsers',
      'DELETE /api/browsers/{id}',
      'DELETE /api/team/users/{id}',
      'GET /api/agents',
      'GET /api/agents/{session}/{id}',
      'GET /api/browsers',
      'GET /api/conflicts',
      'GET /api/events',
      'GET /api/export',
      'GET /api/health',
      'GET /api/me',
      'GET /api/me/tokens',
      'GET /api/openapi.json',
      'GET /api/replay',
      'GET /api/requests',
      'GET /api/sessions',
      'GET /api/sources',
      'GET /api/status',
      'GET /api/team/audit',
      'GET /api/team/spaces',
      'GET /api/team/tokens',
      'GET /api/team/users',
      'GET /api/timeline',
      'GET /api/tokens',
      'GET /api/tools',
      'GET /auth/callback',
      'GET /auth/sign-in',
      'GET /health',
      'GET /metrics',
      'GET /ready',
      'GET /stream',
      'POST /api/agents/{session}/{id}/answer',
      'POST /api/backup',
      'POST /api/confirm',
      'POST /api/health',
      'POST /api/link',
      'POST /api/me/space',
      'POST /api/me/tokens',
      'POST /api/me/tokens/{id}/revoke',
      'POST /api/rebuild',
      'POST /api/stop',
      'POST /api/team/spaces',
      'POST /api/team/tokens',
      'POST /api/team/tokens/{id}/revoke',
      'POST /api/team/users',
      'POST /api/tokens/{scope}/reveal',
      'POST /api/tokens/{scope}/rotate',
      'POST /auth/sign-out',
      'POST /auth/token',
      'POST /events',
      'POST /hooks/claude-code',
      'POST /hooks/hermes',
      'POST /v1/logs',
      'POST /v1/metrics',
      'POST /v1/traces',
      'PUT /api/team/users/{id}',
    ])
  })

  it('declares the type and schema that every route answers with', async () => {
    for (const { path, method, operation } of operations()) {
      const [asked, expected] = sample(path)
      const answer = await kit.request(asked, { method })
      const declared = Object.entries(operation.responses)
      expect([path, answer.status]).toEqual([path, expected])
      const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
      const types = declared.flatMap(([, { content }]) => Object.keys(content))
      expect(types).toContain(type)
      await answer.text()
    }
  })

  it('lists every path of the router', () => {
    const kit = { options: {}, page: {} } as AppContext
    const router = createRouter(kit, createRoutes(kit))
    const declared = new Set(operations().map(({ path }) => path.replace(/\{(\w+)\}/g, ':$1')))
    const routed = new Set(router.routes.map((route) => route.path))
    // The remaining path matches everything: the guard comes before all routes and the files of the page after
    // them.
    routed.delete('/*')
    expect(routed).toEqual(declared)
  })

  it('answers paths that it does not list with 404', async () => {
    const known = new Set(Object.keys(document.paths))
    for (const path of [
      '/api',
      '/api/',
      '/events/',
      '/api/token',
      '/v1/models',
      '/hooks/other',
      '/stream/x',
    ]) {
      expect(known.has(path)).toBe(false)
      expect((await kit.request(path)).status).toBe(404)
    }
  })

  it('describes every parameter of a query and of a path', () => {
    const names = (path: string, method: string) =>
      document.paths[path]?.[method]?.parameters?.map((parameter) => parameter.name)
    expect(names('/api/events', 'get')).toEqual(
      expect.arrayContaining([
        'after',
        'before',
        'limit',
        'kind',
        'source',
        'session',
        'agent',
        'since',
        'until',
        'text',
        'failed',
      ]),
    )
    expect(names('/stream', 'get')).toEqual(['since', 'batch', 'agents', 'achievements'])
    expect(names('/api/tokens/{scope}/rotate', 'post')).toEqual(['scope'])
  })

  it('has a unique name for each operation', () => {
    const names = operations().map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
  })
})
