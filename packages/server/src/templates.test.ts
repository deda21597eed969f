import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import { openTemplates, type Past } from '@panoptes/engine/templates'
import type { Message, PastSession } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer, unwrap } from './server.test-kit.ts'

const folder = mkdtempSync(join(tmpdir(), 'panoptes-templates-'))
const session = { source: 'codex', id: 'one', title: 'a build', project: 'shop' } as PastSession
const spoken = (content: Message['content']) => ({
  agent_id: 'main',
  role: 'assistant',
  state: 'active',
  content,
})
const messages = [
  spoken([{ type: 'tool_call', id: 'a', tool: 'shell', input: { command: 'make' } }]),
  spoken([{ type: 'tool_result', id: 'a', ok: true, text: 'made', duration_ms: null }]),
] as Message[]

/** One session with one successful call. */
const past: Past = {
  opening: async ({ id }) =>
    id === 'one' ? success({ session, messages }) : failure('not_found', `There is no session ${id}.`),
  works: async () => success([]),
}

let store: EventStore
let kit: TestServer
beforeAll(async () => {
  store = unwrap(await openSqliteStore(join(folder, 'ledger.db')))
  const hermesFolder = join(folder, 'hermes')
  mkdirSync(hermesFolder)
  const theirs = { task_type: 'research', examples: [], created_at: 5 }
  for (const name of ['a/b', 'effects', 'suggested'])
    writeFileSync(join(hermesFolder, `${name.length}.json`), JSON.stringify({ name, ...theirs }))
  writeFileSync(join(hermesFolder, 'broken.json'), '[]')
  const templates = openTemplates({
    folder: join(folder, 'templates'),
    hermesFolder,
    templateUses: store.templateUses,
    past,
    outcomes: async () => success(new Map()),
    experiment: 0.5,
    own: {},
    home: folder,
  })
  kit = await startTestServer({ options: { templates } })
})
afterAll(async () => {
  await kit.stop()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const ask = async (path: string, method = 'GET', body?: object) => {
  const init = body ? { method, body: JSON.stringify(body) } : { method }
  const reply = await kit.request(path, init)
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}

describe('the template routes', () => {
  it('preview a template, create it once, and list it together with broken ones', async () => {
    const input = { source: 'codex', session_id: 'one', name: 'mine' }
    const preview = await ask('/api/templates/preview', 'POST', input)
    expect(preview.body).toMatchObject({
      template: { name: 'mine', task_type: 'terminal' },
      calls: 1,
      failed: 0,
    })
    expect((await ask('/api/templates', 'POST', input)).status).toBe(200)
    expect(await ask('/api/templates', 'POST', input)).toMatchObject({
      status: 400,
      body: { code: 'invalid' },
    })
    expect(await ask('/api/templates', 'POST', { ...input, session_id: 'two' })).toMatchObject({
      status: 404,
    })
    expect(await ask('/api/templates', 'POST', { ...input, max_examples: 0 })).toMatchObject({ status: 400 })
    const { body } = await ask('/api/templates?type=terminal')
    expect(body).toMatchObject({
      templates: [{ name: 'mine', examples: 1, notes: { source: 'codex', title: 'a build' } }],
      broken: [{ file: join(folder, 'hermes', 'broken.json'), reason: expect.any(String) }],
      experiment: 0.5,
    })
    expect((await ask('/api/templates?type=cooking')).status).toBe(400)
  })

  it('tell names of templates from fixed paths', async () => {
    for (const name of ['a/b', 'effects', 'suggested']) {
      const at = `/api/templates/${encodeURIComponent(name)}`
      expect((await ask(`${at}/whole`)).body).toMatchObject({ template: { name } })
      expect((await ask(`${at}/effect`)).body).toMatchObject({ template: name, verdict: 'not_used' })
    }
    expect((await ask('/api/templates/a%2Fb')).body).toMatchObject({ template: { name: 'a/b' } })
    expect(await ask('/api/templates/a%2Fb/whole?place=nowhere')).toMatchObject({ status: 400 })
    const places = ['hermes', 'panoptes'].map((place) => ask(`/api/templates/a%2Fb/whole?place=${place}`))
    expect((await Promise.all(places)).map(({ status }) => status)).toEqual([200, 404])
    expect((await ask('/api/templates/effects')).body).toHaveLength(4)
    expect((await ask('/api/templates/suggested?days=7')).body).toEqual([])
    expect(await ask('/api/templates/none')).toMatchObject({
      status: 404,
      body: { detail: 'Template not found: none' },
    })
  })

  it('insert a template into a conversation that is larger than the usual body limit', async () => {
    const words = 'word '.repeat(40_000)
    const given = [{ role: 'user', content: words }]
    const { body } = await ask('/api/templates/inject', 'POST', {
      name: 'mine',
      for: 'openai',
      messages: given,
    })
    expect(body).toMatchObject({ template: 'mine', task_type: 'terminal' })
    expect(body.output).toHaveLength(4)
    expect((await ask('/api/templates/mine')).body).toMatchObject({ template: { usage_count: 1 } })
    for (const wrong of [
      { for: 'gemini' },
      { session: { source: 'codex', id: '' } },
      { session: { source: 'codex', id: 'x' }, began: 'whenever' },
      { for: 'anthropic', messages: [{ role: 'tool', content: 'x' }] },
    ])
      expect(
        (await ask('/api/templates/inject', 'POST', { name: 'mine', for: 'openai', ...wrong })).status,
      ).toBe(400)
    expect((await ask('/api/templates/mine')).body).toMatchObject({ template: { usage_count: 1 } })
  })

  it('delete a template and undo that, but refuse to delete one of Hermes', async () => {
    expect(await ask('/api/templates/mine', 'DELETE')).toMatchObject({ body: { ok: true, name: 'mine' } })
    expect((await ask('/api/templates/mine')).status).toBe(404)
    expect((await ask('/api/templates/mine/restore', 'POST')).status).toBe(200)
    expect((await ask('/api/templates/mine')).body).toMatchObject({ notes: { source: 'codex' } })
    expect(await ask('/api/templates/effects', 'DELETE')).toMatchObject({ status: 400 })
  })

  it('are each described once', async () => {
    const { body } = await ask('/api/openapi.json')
    const paths = Object.keys(body.paths as object).filter((path) => path.startsWith('/api/templates'))
    expect(paths.sort()).toEqual([
      '/api/templates',
      '/api/templates/effects',
      '/api/templates/inject',
      '/api/templates/preview',
      '/api/templates/start',
      '/api/templates/suggested',
      '/api/templates/{name}',
      '/api/templates/{name}/effect',
      '/api/templates/{name}/restore',
      '/api/templates/{name}/whole',
    ])
  })
})
