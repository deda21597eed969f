import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { webhookSecretFile } from '@panoptes/engine/home'
import type { StoredEvent } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer, unwrap } from './server.test-kit.ts'

let kit: TestServer
beforeAll(async () => {
  kit = await startTestServer()
})
afterAll(() => kit.stop())

const events = async (): Promise<readonly StoredEvent[]> =>
  unwrap(await kit.store.read({ after: 0, limit: 1_000 })).rows.map(({ json }) => JSON.parse(json))

describe('POST /hooks/hermes', () => {
  const post = async (payload: object, signature?: string) => {
    const body = JSON.stringify(payload)
    const secret = (await readFile(webhookSecretFile(kit.paths), 'utf8')).trim()
    const right = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    return fetch(`${kit.address}/hooks/hermes`, {
      method: 'POST',
      headers: { 'x-hermes-signature-256': signature ?? right },
      body,
    })
  }
  const payload = {
    hook_event_name: 'on_session_start',
    session_id: 'h1',
    cwd: '/work',
    extra: { model: 'm' },
    delivery_id: 'd1',
    timestamp: new Date().toISOString(),
  }

  it('needs no token but a valid signature', async () => {
    const reply = await post(payload)
    expect([reply.status, await reply.text()]).toEqual([200, ''])
    expect((await events()).at(-1)).toMatchObject({
      event: 'session_start',
      source: 'hermes',
      session_id: 'h1',
      ts: Date.parse(payload.timestamp),
    })
    for (const wrong of [
      '',
      'sha256=',
      `sha256=${'0'.repeat(64)}`,
      `sha1=${'0'.repeat(40)}`,
      'x'.repeat(10_000),
    ]) {
      expect((await post({ ...payload, delivery_id: 'd2' }, wrong)).status).toBe(401)
    }
    expect((await kit.request('/hooks/hermes', { method: 'POST', body: '{}' })).status).toBe(401)
  })

  it('refuses a signed body that was sent at another time', async () => {
    const before = (await events()).length
    for (const timestamp of ['2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z', '-000001-01-01T00:00:00Z']) {
      const reply = await post({ ...payload, delivery_id: `at ${timestamp}`, timestamp })
      expect([reply.status, await reply.json()]).toMatchObject([400, { code: 'stale' }])
    }
    expect(await events()).toHaveLength(before)
  })

  it('accepts a delivery once', async () => {
    const before = (await events()).length
    await post({ ...payload, hook_event_name: 'pre_gateway_dispatch', delivery_id: 'd3' })
    await post({ ...payload, hook_event_name: 'pre_gateway_dispatch', delivery_id: 'd3' })
    await post({ ...payload, hook_event_name: 'pre_gateway_dispatch', delivery_id: 'd4' })
    expect((await events()).length - before).toBe(2)
  })

  it('keeps its secret readable only for its user', async () => {
    const file = join(kit.paths.tokens, 'hermes-webhook')
    expect((await readFile(file, 'utf8')).trim().length).toBe(43)
    expect((await post(payload)).headers.get('set-cookie')).toBeNull()
  })
})
