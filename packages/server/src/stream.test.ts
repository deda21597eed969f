import { afterEach, describe, expect, it } from 'vitest'
import { many, seqsOf, session, startTestServer, type TestServer, unwrap } from './server.test-kit.ts'

const running: TestServer[] = []
async function setUp(...args: Parameters<typeof startTestServer>): Promise<TestServer> {
  const kit = await startTestServer(...args)
  running.push(kit)
  return kit
}
afterEach(async () => {
  for (const kit of running.splice(0)) await kit.stop()
})

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('the stream', () => {
  it('starts with the living agents and the seq of that state', async () => {
    const kit = await setUp()
    await kit.post(
      { event: 'agent_spawn', id: 'a1', session_id: 's' },
      { event: 'agent_spawn', id: 'a2', session_id: 's' },
      { event: 'agent_done', id: 'a2', session_id: 's', outcome: 'functional' },
    )
    const reader = await kit.stream()
    expect(reader.ws.protocol).toBe('bearer')
    await reader.until((frames) => frames.length > 0)
    expect(reader.frames[0]).toMatchObject({ type: 'snapshot', seq: 3 })
    expect(reader.frames[0]?.alive?.map((agent) => agent.id)).toContain('a1')
    expect(reader.frames[0]?.alive?.map((agent) => agent.id)).not.toContain('a2')
  })

  it('reports how many living agents the snapshot omits', async () => {
    const kit = await setUp({ limits: { alive: 3 } })
    const working = (count: number) => many(count).map((event) => ({ ...event, event: 'prompt' }))
    await kit.post(...working(3))
    const whole = await kit.stream()
    await whole.until((frames) => frames.length > 0)
    expect(whole.frames[0]).not.toHaveProperty('alive_left_out')
    await kit.post(...working(5))
    const cut = await kit.stream()
    await cut.until((frames) => frames.length > 0)
    expect(cut.frames[0]).toMatchObject({ alive_left_out: 2 })
    expect(cut.frames[0]?.alive).toHaveLength(3)
    expect(await (await kit.request('/api/status')).json()).toMatchObject({ alive: 5 })
  })

  it('continues after the snapshot with each event once, exactly as stored', async () => {
    const kit = await setUp()
    await kit.post(...many(5))
    const reader = await kit.stream()
    await reader.until((frames) => frames.length === 1)
    await kit.post(session('new', { title: 'é "quoted" \u2028' }))
    await reader.until((frames) => frames.length === 2)
    const stored = (await (await kit.request('/api/events?limit=1')).json()) as { events: unknown[] }
    expect(reader.frames[1]).toEqual({ type: 'event', data: stored.events[0] })
  })

  it("resumes after the client's seq, also while events arrive", async () => {
    const kit = await setUp()
    await kit.post(...many(3_000))
    const posting = (async () => {
      for (let at = 0; at < 20; at++) await kit.post(...range(1, 50).map((n) => session(`x${at}-${n}`)))
    })()
    const readers = await Promise.all([
      kit.stream('?since=0'),
      kit.stream('?since=2500&batch=1'),
      kit.stream('?since=2999'),
    ])
    await posting
    for (const [index, since] of [0, 2_500, 2_999].entries()) {
      const reader = readers[index]
      await reader?.reached(4_000)
      expect(reader?.seqs()).toEqual(range(since + 1, 4_000))
      expect(reader?.frames[0]?.type).toBe('snapshot')
    }
  })

  it('has no gap between the snapshot and the first event, whenever a client connects', async () => {
    const kit = await setUp()
    const posting = (async () => {
      for (let at = 0; at < 60; at++) await kit.post(...range(1, 5).map((n) => session(`y${at}-${n}`)))
    })()
    const readers = await Promise.all(range(1, 8).map((n) => kit.stream(n % 2 ? '' : '?batch=1')))
    await posting
    for (const reader of readers) {
      await reader.until((frames) => frames.length > 0)
      const start = reader.frames[0]?.seq ?? 0
      if (start < 300) await reader.reached(300)
      expect(reader.seqs()).toEqual(range(start + 1, 300))
    }
  })

  it('sends single events by default, and batches to a client that asked for them', async () => {
    const kit = await setUp()
    const [single, batched] = await Promise.all([kit.stream('?since=0'), kit.stream('?since=0&batch=1')])
    await kit.post(...many(1_000))
    await single.reached(1_000)
    await batched.reached(1_000)
    expect(new Set(single.frames.map((frame) => frame.type))).toEqual(new Set(['snapshot', 'event']))
    expect(batched.frames.length).toBeLessThan(100)
    expect(batched.frames.map((frame) => frame.type)).toContain('batch')
  })

  it('starts at the newest event for a client that claims a later one', async () => {
    const kit = await setUp()
    await kit.post(...many(3))
    const reader = await kit.stream('?since=999')
    await kit.post(session('next'))
    await reader.until((frames) => frames.length === 2)
    expect(reader.seqs()).toEqual([4])
  })

  it('reports the gap if retention has deleted events that a client needs', async () => {
    const kit = await setUp({
      before: async (store) => {
        const stored = { v: 1 as const, event: 'session_start', source: 'custom', host: 'here' }
        unwrap(
          await store.append(
            range(1, 100).map((n) => ({ ...stored, key: `k${n}`, ts: n, session_id: `s${n}` })),
          ),
        )
        unwrap(await store.retain({ before: 51 }))
      },
    })
    const reader = await kit.stream('?since=10')
    await reader.reached(100)
    expect(reader.frames[1]).toEqual({ type: 'gap', from: 11, to: 50 })
    expect(reader.seqs()).toEqual(range(51, 100))
    const status = (await (await kit.request('/api/status')).json()) as { flow: { missed: number } }
    expect(status.flow.missed).toBe(40)
  })

  it('lets a slow client miss events, reports that, and slows no other client', async () => {
    const kit = await setUp({ limits: { unsentBytes: 65_536, behind: 200 } })
    const [slow, quick] = await Promise.all([kit.stream('?since=0'), kit.stream('?since=0')])
    await Promise.all([slow.until((f) => f.length > 0), quick.until((f) => f.length > 0)])
    slow.ws.pause()
    const title = 'x'.repeat(4_000)
    // More than the buffers of both sockets hold.
    for (let at = 0; at < 24; at++) {
      await kit.post(...range(1, 100).map((n) => session(`z${at}-${n}`, { title, note: 'y'.repeat(4_000) })))
      await quick.reached((at + 1) * 100)
    }
    expect(quick.seqs()).toEqual(range(1, 2_400))
    expect(quick.frames.filter((frame) => frame.type === 'gap')).toEqual([])
    slow.ws.resume()
    await slow.until((frames) => frames.some((frame) => frame.type === 'gap'))
    await kit.post(session('last'))
    await slow.reached(2_401)
    expect(accountedFor(slow.frames)).toEqual(range(1, 2_401))
  })

  function accountedFor(frames: readonly Parameters<typeof seqsOf>[0][]): number[] {
    return frames.flatMap((frame) =>
      frame.type === 'gap' ? range(frame.from ?? 0, frame.to ?? 0) : seqsOf(frame),
    )
  }

  it('pings, and disconnects a client that does not answer', async () => {
    const kit = await setUp({ limits: { pingMs: 600 } })
    const [living, dead] = await Promise.all([kit.stream(), kit.stream()])
    dead.ws.pong = () => undefined
    dead.ws.pause()
    await living.until((frames) => frames.filter((frame) => frame.type === 'ping').length >= 3)
    await expect
      .poll(
        async () =>
          ((await (await kit.request('/api/status')).json()) as { flow: { clients: number } }).flow.clients,
      )
      .toBe(1)
  })

  it.each(['since=x', 'since=-1', 'since=1.5', 'batch=perhaps'])(
    'refuses %s before the upgrade',
    async (query) => {
      const kit = await setUp()
      await expect(kit.stream(`?${query}`)).rejects.toThrow('answered 400')
    },
  )

  it('accepts a bounded number of clients', async () => {
    const kit = await setUp({ limits: { clients: 2 } })
    const first = await kit.stream()
    await kit.stream()
    await expect(kit.stream()).rejects.toThrow('answered 503')
    first.ws.close()
    await first.closed
    await expect
      .poll(() =>
        kit.stream().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
  })

  it('disconnects a client that sends too much', async () => {
    const kit = await setUp()
    const reader = await kit.stream()
    reader.ws.send('x'.repeat(10_000))
    expect((await reader.closed).code).toBe(1009)
  })

  it('tells every client when the server stops', async () => {
    const kit = await startTestServer()
    const readers = await Promise.all([kit.stream(), kit.stream()])
    await kit.stop()
    for (const reader of readers)
      expect(await reader.closed).toEqual({ code: 1001, reason: 'Panoptes stops' })
  })
})
