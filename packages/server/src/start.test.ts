import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { failure, success } from '@panoptes/schema'
import { afterEach, describe, expect, it } from 'vitest'
import { askRaw, freePort, overriding, session, startTestServer, type TestServer } from './server.test-kit.ts'
import { startServer } from './start.ts'

const running: TestServer[] = []
async function setUp(...args: Parameters<typeof startTestServer>): Promise<TestServer> {
  const kit = await startTestServer(...args)
  running.push(kit)
  return kit
}
afterEach(async () => {
  for (const kit of running.splice(0)) await kit.stop()
})

describe('startServer', () => {
  it.each(['0.0.0.0', '192.168.1.7', '::', 'example.test'])(
    'refuses %s unless it was asked for by name',
    async (host) => {
      await expect(setUp({ options: { host } })).rejects.toThrow(`Other computers can reach ${host}`)
    },
  )

  it('accepts a wildcard address on request, and allows its own addresses as hosts then', async () => {
    const kit = await setUp({ options: { host: '0.0.0.0', allowRemote: true } })
    expect(kit.address).toBe(`http://127.0.0.1:${kit.server.port}`)
    expect((await kit.request('/api/tokens')).status).toBe(200)
  })

  it('reports that a port is taken', async () => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    const { port } = holder.address() as { port: number }
    await expect(setUp({ options: { port } })).rejects.toThrow(
      `busy: Port ${port} on 127.0.0.1 is already in use.`,
    )
    holder.close()
  })

  it('reports that a name is not an address of this computer', async () => {
    const asked = setUp({ options: { host: '203.0.113.9', allowRemote: true } })
    await expect(asked).rejects.toThrow('invalid: 203.0.113.9 is not an address of this computer.')
  })

  it('keeps a browser signed in over a restart', async () => {
    const first = await setUp()
    const link = await fetch(first.server.link(), { redirect: 'manual' })
    const cookie = link.headers.get('set-cookie')?.split(';')[0] ?? ''
    await first.server.close()
    const again = await startServer({ ...first.options, port: first.server.port })
    if (!again.ok) throw new Error(again.message)
    expect((await fetch(`${again.value.address}/api/tokens`, { headers: { cookie } })).status).toBe(200)
    await again.value.close()
  })
})

describe('requests while the server starts', () => {
  /** A server that has bound its port and cannot open its space yet. */
  async function startSlowly() {
    const bound = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const port = await freePort()
    const started = setUp({
      options: { port },
      wrap: (store) =>
        overriding(store, {
          head: async () => {
            bound.resolve()
            await release.promise
            return store.head()
          },
        }),
    })
    await bound.promise
    return { port, started, release: release.resolve }
  }

  it('are answered once it has started, streams and posts included', async () => {
    const { port, started, release } = await startSlowly()
    const asked = [
      askRaw(port, { path: '/api/status' }),
      askRaw(port, { path: '/events', method: 'POST', body: '{}' }),
      askRaw(port, { path: '/stream', upgrade: true }),
      askRaw(port, { path: '/', headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' } }),
    ]
    expect((await askRaw(port, { path: '/health' })).status).toBe(200)
    release()
    await started
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([401, 401, 401, 401])
  })

  it('reach /health, while /ready answers 503', async () => {
    const { port, started, release } = await startSlowly()
    const health = await askRaw(port, { path: '/health', headers: { 'x-panoptes-challenge': 'a' } })
    expect(JSON.parse(health.text)).toEqual({ ok: true, version: '1.2.3' })
    expect(health.headers['x-panoptes-proof']).toMatch(/^[\w-]{43}$/)
    const ready = await askRaw(port, { path: '/ready' })
    expect(ready).toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
    expect(JSON.parse(ready.text)).toMatchObject({ code: 'not_ready', detail: 'Panoptes is starting.' })
    release()
    await started
    expect((await askRaw(port, { path: '/ready' })).status).toBe(200)
  })

  it('are refused with 503 when the start fails', async () => {
    const port = await freePort()
    const bound = Promise.withResolvers<void>()
    const fail = Promise.withResolvers<void>()
    const started = setUp({
      options: { port },
      wrap: (store) =>
        overriding(store, {
          head: async () => {
            bound.resolve()
            await fail.promise
            return failure('io', 'The disk is gone.')
          },
        }),
    })
    const refused = expect(started).rejects.toThrow('The disk is gone.')
    await bound.promise
    const asked = [askRaw(port, { path: '/api/status' }), askRaw(port, { path: '/stream', upgrade: true })]
    await askRaw(port, { path: '/health' })
    fail.resolve()
    for (const answer of await Promise.all(asked))
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
    await refused
  })
})

describe('stopping the server', () => {
  it('lets running requests finish and accepts no new ones', async () => {
    const entered = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const kit = await setUp({
      wrap: (store) =>
        overriding(store, {
          append: async () => {
            entered.resolve()
            await release.promise
            return success({ accepted: 1, duplicates: 0, last: 1 })
          },
        }),
    })
    const posting = kit.post(session(1))
    await entered.promise
    let closed = false
    const closing = kit.server.close().then(() => {
      closed = true
    })
    await expect(kit.request('/health')).rejects.toThrow('fetch failed')
    expect(closed).toBe(false)
    release.resolve()
    expect((await posting).status).toBe(200)
    await closing
  })

  it('is quick without running requests, whatever connections are open', async () => {
    const kit = await setUp()
    await Promise.all([kit.request('/health'), kit.request('/health'), kit.stream()])
    const inAdvance = connect(kit.server.port, '127.0.0.1').on('error', () => undefined)
    await once(inAdvance, 'connect')
    const started = performance.now()
    await kit.server.close()
    expect(performance.now() - started).toBeLessThan(5_000)
    inAdvance.destroy()
  })

  it('can be requested over HTTP', async () => {
    const asked = Promise.withResolvers<void>()
    const kit = await setUp({ options: { onStop: asked.resolve } })
    expect(await (await kit.request('/api/stop', { method: 'POST' })).json()).toEqual({ stopping: true })
    await asked.promise
  })
})
