import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { success } from '@panoptes/schema'
import { afterEach, describe, expect, it } from 'vitest'
import { overriding, session, startTestServer, type TestServer } from './server.test-kit.ts'
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

describe('starting', () => {
  it.each(['0.0.0.0', '192.168.1.7', '::', 'example.test'])(
    'refuses %s unless it was asked for by name',
    async (host) => {
      await expect(setUp({ options: { host } })).rejects.toThrow(
        `${host} can be reached from other computers`,
      )
    },
  )

  it('takes an address for all networks when asked, and own addresses as hosts then', async () => {
    const kit = await setUp({ options: { host: '0.0.0.0', allowRemote: true } })
    expect(kit.address).toBe(`http://127.0.0.1:${kit.server.port}`)
    expect((await kit.request('/api/tokens')).status).toBe(200)
  })

  it('says that a port is taken', async () => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    const { port } = holder.address() as { port: number }
    await expect(setUp({ options: { port } })).rejects.toThrow(`busy: Port ${port} on 127.0.0.1 is taken.`)
    holder.close()
  })

  it('says that a name is no address of this computer', async () => {
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

describe('stopping', () => {
  it('lets running requests end and takes no new ones', async () => {
    const entered = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const kit = await setUp({
      wrap: (ledger) =>
        overriding(ledger, {
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

  it('is quick when nothing runs, whatever connections are open', async () => {
    const kit = await setUp()
    await Promise.all([kit.request('/health'), kit.request('/health'), kit.stream()])
    const inAdvance = connect(kit.server.port, '127.0.0.1').on('error', () => undefined)
    await once(inAdvance, 'connect')
    const started = performance.now()
    await kit.server.close()
    expect(performance.now() - started).toBeLessThan(5_000)
    inAdvance.destroy()
  })

  it('can be asked for over HTTP', async () => {
    const asked = Promise.withResolvers<void>()
    const kit = await setUp({ options: { onStop: asked.resolve } })
    expect(await (await kit.request('/api/stop', { method: 'POST' })).json()).toEqual({ stopping: true })
    await asked.promise
  })
})
