import { chatInput } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChatServer, startChatServer } from './chat-server.test-kit.ts'

let served: ChatServer
let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
beforeAll(async () => {
  served = await startChatServer()
  paths = ((await (await served.request('/api/openapi.json')).json()) as { paths: typeof paths }).paths
})
afterAll(() => served.stop())

interface Operation {
  readonly summary: string
  readonly 'x-scope': string
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: { readonly properties: object } }>>
  }
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, object>> }>>
}

const ROUTES = [
  ['GET', '/api/conversations', 'application/json'],
  ['POST', '/api/conversations', 'application/json'],
  ['GET', '/api/conversations/{id}', 'application/json'],
  ['PUT', '/api/conversations/{id}', 'application/json'],
  ['DELETE', '/api/conversations/{id}', 'application/json'],
  ['POST', '/api/conversations/{id}/fork', 'application/json'],
  ['GET', '/api/conversations/{id}/export', 'text/markdown'],
  ['GET', '/api/conversations/{id}/messages/{message}/context', 'application/json'],
  ['POST', '/api/conversations/{id}/chat', 'text/event-stream'],
  ['GET', '/api/conversations/{id}/stream', 'text/event-stream'],
  ['POST', '/api/conversations/{id}/cancel', 'application/json'],
  ['POST', '/api/conversations/{id}/approvals/{request}', 'application/json'],
  ['GET', '/api/runtimes', 'application/json'],
  ['GET', '/api/memory/facts', 'application/json'],
  ['POST', '/api/memory/facts', 'application/json'],
  ['DELETE', '/api/memory/facts/{id}', 'application/json'],
] as const

describe('the OpenAPI description of conversations', () => {
  it('lists exactly the routes of conversations', () => {
    const described = Object.entries(paths)
      .filter(([path]) => /^\/api\/(conversations|runtimes|memory)/.test(path))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    expect(described.sort()).toEqual(ROUTES.map(([method, path]) => `${method} ${path}`).sort())
  })

  it.each(ROUTES)('declares that %s %s answers with %s', (method, path, type) => {
    const operation = paths[path]?.[method.toLowerCase()]
    expect(operation).toMatchObject({ summary: expect.stringMatching(/\.$/), 'x-scope': 'full' })
    expect(operation?.responses['200']?.content).toHaveProperty([type])
  })

  it('lists the fields of a message', () => {
    const body = paths['/api/conversations/{id}/chat']?.post?.requestBody?.content['application/json']
    expect(Object.keys(body?.schema.properties ?? {})).toEqual(Object.keys(chatInput.shape))
  })
})
