import { describe, expect, it } from 'vitest'
import { createNeeds } from './access.ts'

describe('createNeeds', () => {
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
  ])('requires for %s %s the scope %s', (method, path, scope) => {
    expect(needOf(method, path).scope).toBe(scope)
  })
})
