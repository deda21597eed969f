import type { SessionStart, Templates } from '@panoptes/engine/templates'
import { failure, type InjectReply, type Result, success } from '@panoptes/schema'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './server.test-kit.ts'

const OUTPUT = {
  hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'Session template: t' },
}
const given: InjectReply = { template: 't', task_type: 'code', reasons: ['why'], output: OUTPUT }

let kit: TestServer
let begun: SessionStart[] = []
let answer: Result<InjectReply> = success(given)
beforeAll(async () => {
  const atStart: Templates['atStart'] = async (start) => {
    begun.push(start)
    return answer
  }
  kit = await startTestServer({ options: { templates: { atStart } as Templates } })
})
afterAll(() => kit.stop())
beforeEach(() => {
  begun = []
  answer = success(given)
})

const PAYLOAD = {
  session_id: 's1',
  hook_event_name: 'SessionStart',
  source: 'startup',
  cwd: '/w/atlas',
  model: 'x',
}

const ask = async (body: string, scope: 'ingest' | 'gateway' = 'ingest') => {
  const headers = { authorization: `Bearer ${await kit.token(scope)}`, 'content-type': 'application/json' }
  const reply = await kit.request('/api/templates/start', { method: 'POST', headers, body })
  return { status: reply.status, text: await reply.text() }
}

describe('POST /api/templates/start', () => {
  it('returns only what the hook prints, to the ingest token', async () => {
    expect(await ask(JSON.stringify(PAYLOAD))).toEqual({ status: 200, text: JSON.stringify(OUTPUT) })
    expect(begun).toEqual([{ source: 'claude-code', session_id: 's1', began: 'startup', cwd: '/w/atlas' }])
  })

  it('answers 204 if there is nothing to print', async () => {
    answer = success({ ...given, template: null, output: null })
    expect(await ask(JSON.stringify({ ...PAYLOAD, cwd: undefined }))).toEqual({ status: 204, text: '' })
    expect(begun).toMatchObject([{ cwd: null }])
  })

  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['a list', '[]'],
    ['another event', JSON.stringify({ ...PAYLOAD, hook_event_name: 'Stop' })],
    ['no session', JSON.stringify({ ...PAYLOAD, session_id: '' })],
    ['an odd folder', JSON.stringify({ ...PAYLOAD, cwd: 7 })],
  ])('answers 204 to an unexpected payload: %s', async (_, body) => {
    expect(await ask(body)).toEqual({ status: 204, text: '' })
    expect(begun).toEqual([])
  })

  it('refuses a body that is too large, and reports a failure', async () => {
    expect((await ask('x'.repeat(70_000))).status).toBe(413)
    answer = failure('closed', 'The store is closed')
    expect((await ask(JSON.stringify(PAYLOAD))).status).toBeGreaterThanOrEqual(500)
  })
})
