import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from './app.ts'
import type { Kit } from './kit.ts'
import { routesOf } from './routes/index.ts'
import { startTestServer, type TestServer } from './server.test-kit.ts'

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
  document = (await (await kit.request('/api/openapi.json')).json()) as Document
})
afterAll(() => kit.stop())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

describe('the description of the routes', () => {
  it('declares what the server must have', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(
      operations()
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual([
      'GET /api/agents',
      'GET /api/events',
      'GET /api/export',
      'GET /api/health',
      'GET /api/openapi.json',
      'GET /api/sources',
      'GET /api/status',
      'GET /api/tokens',
      'GET /health',
      'GET /metrics',
      'GET /stream',
      'POST /api/backup',
      'POST /api/health',
      'POST /api/link',
      'POST /api/rebuild',
      'POST /api/stop',
      'POST /api/tokens/{scope}/reveal',
      'POST /api/tokens/{scope}/rotate',
      'POST /events',
    ])
  })

  it('is true: every declared route answers as it says', async () => {
    for (const { path, method, operation } of operations()) {
      const answer = await kit.request(path.replace('{scope}', 'ingest'), { method })
      const declared = Object.entries(operation.responses)
      const wanted = path === '/stream' ? 426 : 200
      expect([path, answer.status]).toEqual([path, wanted])
      const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
      const types = declared.flatMap(([, { content }]) => Object.keys(content))
      expect(types).toContain(type)
      await answer.text()
    }
  })

  it('is complete: every path of the router is in it', () => {
    const kit = { options: {}, page: {} } as Kit
    const app = createApp(kit, () => ({ ok: true, caller: undefined }), routesOf(kit))
    const declared = new Set(operations().map(({ path }) => path.replace(/\{(\w+)\}/g, ':$1')))
    const routed = new Set(app.routes.map((route) => route.path))
    // What is left takes every path: the guard before all, and the files of the page after all.
    routed.delete('/*')
    expect(routed).toEqual(declared)
  })

  it('leads nowhere where it names nothing', async () => {
    const known = new Set(Object.keys(document.paths))
    for (const path of [
      '/api',
      '/api/',
      '/events/',
      '/api/token',
      '/v1/models',
      '/hooks/claude-code',
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
    expect(names('/stream', 'get')).toEqual(['since', 'batch'])
    expect(names('/api/tokens/{scope}/rotate', 'post')).toEqual(['scope'])
  })

  it('has a name for each operation, once', () => {
    const names = operations().map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
  })
})
