import type { TemplatesReply } from '@panoptes/schema'
import { afterEach, expect, it, vi } from 'vitest'
import { queryClient } from '../api/client.ts'
import { deleteTemplate, injected, restoreTemplate, templatesQuery } from './queries.ts'
import { listed } from './templates.test-kit.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  queryClient.clear()
})

/** A server that answers everything so; what it was asked. */
function server(reply: object) {
  const asked: (readonly [method: string, path: string, body: unknown])[] = []
  vi.stubGlobal('fetch', async (path: string, { method = 'GET', body }: RequestInit) => {
    asked.push([method, path, typeof body === 'string' ? JSON.parse(body) : null])
    return Response.json(reply)
  })
  return asked
}

it('names a template in the path so that no name can leave it', async () => {
  const asked = server({ ok: true })
  await deleteTemplate('a/../b ?x')
  await restoreTemplate('a/../b ?x')
  expect(asked.map(([method, path]) => `${method} ${path}`)).toEqual([
    'DELETE /api/templates/a%2F..%2Fb%20%3Fx',
    'POST /api/templates/a%2F..%2Fb%20%3Fx/restore',
  ])
})

it('takes a deleted template from the list at once', async () => {
  server({ ok: true })
  const reply: TemplatesReply = { templates: [listed()], broken: [], folder: '/t', experiment: null }
  queryClient.setQueryData(templatesQuery.queryKey, reply)
  await deleteTemplate('code_atlas_billing')
  expect(queryClient.getQueryData(templatesQuery.queryKey)?.templates).toEqual([])
})

it('asks for a template in the form that an agent takes', async () => {
  const asked = server({ template: 'x', task_type: 'code', reasons: [], output: [{ role: 'system' }] })
  expect(await injected('x', 'openai')).toBe('[\n  {\n    "role": "system"\n  }\n]')
  expect(asked[0]).toEqual(['POST', '/api/templates/inject', { name: 'x', for: 'openai' }])
})
