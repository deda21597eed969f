import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { openTranscripts, type Transcripts } from '@panoptes/engine/store'
import { dropSchema, recordsOf, telling, textsOf, value } from '@panoptes/engine/testing/transcripts'
import type { TranscriptChange } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../e2e/setup/shared-servers.ts'
import { startTestServer, type TestServer } from './server.test-kit.ts'

const url = usePostgres()
let schema = ''
let transcripts: Transcripts
let kit: TestServer

beforeEach(async () => {
  schema = `wire_${randomUUID().replaceAll('-', '')}`
  transcripts = value(await openTranscripts({ url, schema }))
  kit = await startTestServer({ options: { transcripts } })
})
afterEach(async () => {
  await kit.stop()
  await transcripts.close()
  await dropSchema(url, schema)
})

const linesOf = (changes: readonly TranscriptChange[]): string =>
  changes.map((change) => `${JSON.stringify(change)}\n`).join('')
const post = async (body: string | Uint8Array, headers: Record<string, string> = {}, query = '?host=mast') =>
  kit.request(`/api/transcripts${query}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: { authorization: `Bearer ${await kit.token('ingest')}`, ...headers },
  })

describe('POST /api/transcripts', () => {
  it('accepts plain and gzip bodies with an ingest token', async () => {
    const [first, second] = [telling('a', ['plain\0']), telling('b', ['zipped'])]
    const plain = await post(linesOf(first))
    expect([plain.status, await plain.json()]).toEqual([
      200,
      { ended: 1, dropped: 0, missed: [], forgotten: [] },
    ])
    const zipped = await post(gzipSync(linesOf(second)), { 'content-encoding': 'gzip' })
    expect(zipped.status).toBe(200)
    expect(await textsOf(transcripts, 'a')).toEqual(['plain\0'])
    expect(await textsOf(transcripts, 'b')).toEqual(['zipped'])
    const known = await kit.request('/api/transcripts/known?source=claude-code&host=mast', {
      headers: { authorization: `Bearer ${await kit.token('ingest')}` },
    })
    expect(await known.json()).toEqual({ known: { a: '1', b: '1' } })
  })

  it('removes secrets before it stores anything, whoever sends them and wherever they are', async () => {
    const key = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}`
    const [begin, agent, , end] = telling('s', [''])
    const of = { source: 'claude-code', id: 's', telling: (begin as { telling: string }).telling }
    const base = { id: 'm', session_id: 's', role: 'user', ts: 1, model: null, agent_id: 'main' } as const
    const content = [
      { type: 'text', text: `the key is ${key}` },
      { type: 'reasoning', text: `so ${key}` },
      {
        type: 'tool_call',
        id: 'c',
        tool: 'Bash',
        input: { command: `curl -H "x: ${key}"`, deep: [{ key }] },
      },
      { type: 'tool_result', id: 'c', ok: true, text: key, duration_ms: null, more: { key } },
    ]
    const message = { ...base, content, usage: null, state: 'active', hidden: false, extra: key }
    const about = { title: key, cwd: `/home/${key}`, project: key, git_branch: key }
    const changes = [
      begin,
      { ...agent, agent: { ...(agent as { agent: object }).agent, description: key, subagent_type: key } },
      { type: 'messages', ...of, at: 1, messages: [message] },
      { type: 'skipped', ...of, at: 2, place: `/home/${key}`, reason: key },
      { ...end, at: 3, session: { ...(end as { session: object }).session, ...about } },
    ]
    const answer = await post(changes.map((change) => `${JSON.stringify(change)}\n`).join(''))
    expect(await answer.json()).toMatchObject({ ended: 1 })
    const stored = JSON.stringify(await recordsOf(transcripts, 's'))
    expect(stored).toContain('the key is')
    expect(stored).not.toContain(key.slice(4, 30))
  })

  it('refuses the whole body if a line is invalid, and names the line', async () => {
    const good = linesOf(telling('a', ['good']))
    const bad = linesOf(telling('b', ['bad'])).replace('"role":"user"', '"role":"nobody"')
    const answer = await post(good + bad)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      code: 'invalid',
      problems: [{ path: 'line 7 messages.0.role', reason: expect.any(String) }],
    })
    expect(value(await transcripts.known('claude-code', 'mast'))).toEqual(new Map())
    const broken = await post(`${good}{"type":`)
    expect(await broken.json()).toMatchObject({ detail: 'The body is invalid: line 5 is not JSON.' })
    expect(value(await transcripts.known('claude-code', 'mast'))).toEqual(new Map())
  })

  it('refuses sessions without a computer, and conversations of Panoptes itself', async () => {
    expect((await post(linesOf(telling('a', ['x'])), {}, '')).status).toBe(400)
    const own = linesOf(telling('a', ['x'])).replaceAll('"source":"claude-code"', '"source":"panoptes"')
    const answer = await post(own)
    expect(await answer.json()).toMatchObject({
      status: 400,
      detail: 'The body is invalid: line 1 source cannot be panoptes: computers cannot send conversations.',
    })
  })

  it('limits the size of a part', async () => {
    const large = gzipSync('x'.repeat(17_000_000))
    expect((await post(large, { 'content-encoding': 'gzip' })).status).toBe(413)
    const almost = linesOf(telling('a', ['y'.repeat(12_000_000)]))
    expect((await post(almost)).status).toBe(200)
    expect((await textsOf(transcripts, 'a'))[0]).toHaveLength(12_000_000)
  })

  it('does not exist on the server of a single computer', async () => {
    const alone = await startTestServer()
    const answer = await alone.request('/api/transcripts?host=mast', { method: 'POST', body: '' })
    expect(answer.status).toBe(404)
    await alone.stop()
  })
})
