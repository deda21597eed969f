import { type ForwardStatus, failure, success } from '@panoptes/schema'
import { afterEach, describe, expect, it } from 'vitest'
import type { ServedForward } from './options.ts'
import { startTestServer, type TestServer } from './server.test-kit.ts'

const STATUS: ForwardStatus = {
  to: 'https://hub.example',
  what: 'metadata',
  state: 'idle',
  seq: 12,
  waiting: { events: 0, bytes: 0, oldest_ts: null },
  sent: {
    events: 12,
    bytes: 3_000,
    compressed_bytes: 400,
    events_per_second: 0,
    bytes_per_second: 0,
    last_at: 1_700_000_000_000,
  },
  retries: 0,
  refused: 0,
  refused_why: null,
  lost: 0,
  lost_at: null,
  problem: null,
  transcripts: null,
}

describe("forwarding in the server's API", () => {
  let kit: TestServer
  afterEach(() => kit.stop())

  const start = async (forward?: ServedForward) => {
    kit = await startTestServer({ options: { forward } })
  }

  it('is in the status if the server forwards', async () => {
    await start({ status: async () => STATUS, reload: async () => success(STATUS) })
    expect(await (await kit.request('/api/status')).json()).toMatchObject({ forward: STATUS })
  })

  it('is absent if the server does not forward', async () => {
    await start({ status: async () => null, reload: async () => success(null) })
    expect(await (await kit.request('/api/status')).json()).not.toHaveProperty('forward')
    const reply = await kit.request('/api/forward', { method: 'POST' })
    expect(await reply.json()).toEqual({ forward: null })
  })

  it('restarts on request, and from the first event if asked to', async () => {
    const asked: boolean[] = []
    await start({
      status: async () => STATUS,
      reload: async (fromStart) => {
        asked.push(fromStart)
        return fromStart ? failure('invalid', 'config.yaml has a mistake') : success(STATUS)
      },
    })
    const good = await kit.request('/api/forward', { method: 'POST' })
    expect(await good.json()).toEqual({ forward: STATUS })
    const bad = await kit.request('/api/forward', { method: 'POST', body: '{"from_start":true}' })
    expect([bad.status, asked]).toEqual([400, [false, true]])
    const wrong = await kit.request('/api/forward', { method: 'POST', body: '{"from":1}' })
    expect(wrong.status).toBe(400)
  })

  it('has counters that only increase', async () => {
    await start()
    kit.server.addGauges(() => [
      { name: 'panoptes_forward_sent_events_total', type: 'counter', help: 'Sent.', value: 3 },
    ])
    const text = await (await kit.request('/metrics')).text()
    expect(text).toContain('# TYPE panoptes_forward_sent_events_total counter\n')
    expect(text).toContain('panoptes_forward_sent_events_total 3\n')
  })
})
