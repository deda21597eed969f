import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNeeds } from './access.ts'
import { startTestServer, type TestServer } from './server.test-kit.ts'

describe('the scope of a request', () => {
  const needOf = createNeeds([
    { method: 'GET', path: '/health', scope: 'open' },
    { method: 'POST', path: '/events', scope: 'ingest' },
    { method: 'POST', path: '/things/:name/send', scope: 'ingest' },
    { method: 'GET', path: '/api/status', scope: 'full' },
  ])

  it.each([
    ['GET', '/health', 'open'],
    ['HEAD', '/health', 'open'],
    ['POST', '/health', 'full'],
    ['GET', '/health/', 'full'],
    ['POST', '/events', 'ingest'],
    ['GET', '/events', 'full'],
    ['POST', '/things/one/send', 'ingest'],
    ['POST', '/things/one/two/send', 'full'],
    ['POST', '/hooks/any', 'ingest'],
    ['POST', '/hooks/', 'full'],
    ['GET', '/v1/models/some/model', 'gateway'],
    ['POST', '/v1/responses', 'gateway'],
    ['GET', '/v1/responses', 'gateway'],
    ['POST', '/v1/embeddings', 'gateway'],
    ['GET', '/v1/traces', 'full'],
    ['GET', '/v1x', 'full'],
    ['GET', '/api/status', 'full'],
    ['GET', '/nothing', 'full'],
  ])('%s %s is %s', (method, path, scope) => {
    expect(needOf(method, path).scope).toBe(scope)
  })
})

describe('what is described and what is let in', () => {
  let kit: TestServer
  beforeAll(async () => {
    kit = await startTestServer()
  })
  afterAll(() => kit.stop())

  it('are the same for every route and every token', async () => {
    const described = (await (await kit.request('/api/openapi.json')).json()) as {
      paths: Record<string, Record<string, { 'x-scope': string }>>
    }
    const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, scope: operation['x-scope'] })),
    )
    expect(operations.length).toBeGreaterThan(10)
    for (const { path, method, scope } of operations) {
      const ask = async (headers: Record<string, string>) => {
        const place = `${kit.address}${path.replace(/\{\w+\}/g, 'none')}`
        return (await fetch(place, { method: method.toUpperCase(), headers })).status
      }
      const withToken = async (name: 'ingest' | 'gateway') =>
        ask({ authorization: `Bearer ${await kit.token(name)}` })
      const said = `${method} ${path}`
      expect((await ask({})) === 401, said).toBe(scope !== 'open')
      // Whoever signs needs no token, and a token is no signature.
      if (scope === 'signed') {
        expect([await withToken('ingest'), await withToken('gateway')], said).toEqual([401, 401])
        continue
      }
      expect((await withToken('ingest')) === 403, said).toBe(scope !== 'open' && scope !== 'ingest')
      expect((await withToken('gateway')) === 403, said).toBe(scope !== 'open' && scope !== 'gateway')
    }
  })
})
