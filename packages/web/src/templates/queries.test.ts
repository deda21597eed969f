import type { TemplatesReply } from '@panoptes/schema'
import { afterEach, expect, it, vi } from 'vitest'
import { queryClient } from '../api/client.ts'
import { deleteTemplate, injectTemplate, restoreTemplate, templatesQuery } from './queries.ts'
import { listed } from './templates.test-kit.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  queryClient.clear()
})

/** A server that answers every request the same way and records the requests. */
function server(reply: object, status = 200) {
  const asked: (readonly [method: string, path: string, body: unknown])[] = []
  vi.stubGlobal('fetch', async (path: string, { method = 'GET', body }: RequestInit) => {
    asked.push([method, path, typeof body === 'string' ? JSON.parse(body) : null])
    return Response.json(reply, { status })
  })
  return asked
}

it('escapes the name of a template in the path', async () => {
  const asked = server({ ok: true })
  await deleteTemplate({ name: 'a/../b ?x', place: 'panoptes' })
  await restoreTemplate('a/../b ?x')
  expect(asked.map(([method, path]) => `${method} ${path}`)).toEqual([
    'DELETE /api/templates/a%2F..%2Fb%20%3Fx',
    'POST /api/templates/a%2F..%2Fb%20%3Fx/restore',
  ])
})

it('removes a deleted template from the list at once but not its Hermes namesake', async () => {
  server({ ok: true })
  const theirs = { ...listed(), place: 'hermes' as const }
  const reply: TemplatesReply = { templates: [theirs, listed()], broken: [], folder: '/t', experiment: null }
  queryClient.setQueryData(templatesQuery.queryKey, reply)
  await deleteTemplate(listed())
  expect(queryClient.getQueryData(templatesQuery.queryKey)?.templates).toEqual([theirs])
})

it('removes a template that another window deleted and keeps one that failed to delete', async () => {
  const reply: TemplatesReply = { templates: [listed()], broken: [], folder: '/t', experiment: null }
  const left = () => queryClient.getQueryData(templatesQuery.queryKey)?.templates.length
  queryClient.setQueryData(templatesQuery.queryKey, reply)
  server({ detail: 'No.' }, 500)
  await expect(deleteTemplate(listed())).rejects.toThrow('No.')
  expect(left()).toBe(1)
  server({ detail: 'Template not found' }, 404)
  expect(await deleteTemplate(listed())).toBe(false)
  expect(left()).toBe(0)
  expect(queryClient.getQueryState(templatesQuery.queryKey)?.isInvalidated).toBe(true)
})

it('requests a template in the format of an agent', async () => {
  const asked = server({ template: 'x', task_type: 'code', reasons: [], output: [{ role: 'system' }] })
  expect(await injectTemplate({ name: 'x', place: 'hermes' }, 'openai')).toBe(
    '[\n  {\n    "role": "system"\n  }\n]',
  )
  expect(asked[0]).toEqual(['POST', '/api/templates/inject', { name: 'x', place: 'hermes', for: 'openai' }])
})
