import { setTimeout as wait } from 'node:timers/promises'
import type { EventStore, Work } from '@panoptes/engine/store'
import { failure } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestHub, type TestHub } from '../hub.test-kit.ts'
import { unwrap } from '../server.test-kit.ts'

let near: TestHub
let far: TestHub
let stopped = 0
let checks = 0

/** Work that runs until it is stopped, and health checks that never finish. */
const endless = (store: EventStore): EventStore =>
  new Proxy(store, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name)
      if (name !== 'rebuild') return typeof own === 'function' ? own.bind(target) : own
      return async ({ signal, onProgress }: Work) => {
        for (let done = 0; !signal?.aborted; done += 1) {
          onProgress?.(done, 1e9)
          await wait(50)
        }
        stopped += 1
        return failure('stopped', 'It was stopped.')
      }
    },
  })

beforeAll(async () => {
  near = await startTestHub({
    spaces: ['main'],
    site: (_, store) => ({
      store: endless(store),
      diagnose: () => {
        checks += 1
        return new Promise(() => undefined)
      },
    }),
  })
  far = await near.another()
})
afterAll(async () => {
  await far.stop()
  await near.stop()
})

const made = async () =>
  unwrap(await near.team.createToken({ label: 'long', space: 'main', scope: 'full', role: 'admin' }))

/** Reads a response to its end, and returns whether it was cut and how long that took. */
const ended = async (answer: Promise<Response>): Promise<'whole' | 'cut'> =>
  answer
    .then((given) => given.text())
    .then(
      () => 'whole' as const,
      () => 'cut' as const,
    )

describe('a long response', () => {
  it('ends within seconds after its token was revoked, together with its work, at every hub', async () => {
    for (const hub of [near, far]) {
      const { token, about } = await made()
      const before = stopped
      const answer = await hub.request('/api/rebuild', token, { method: 'POST' })
      expect(answer.status).toBe(200)
      const end = ended(Promise.resolve(answer))
      expect(await Promise.race([end, wait(1_500, 'goes on')])).toBe('goes on')
      unwrap(await near.team.revokeToken('main', about.id))
      expect(await Promise.race([end, wait(20_000, 'goes on')])).toBe('cut')
      await expect.poll(() => stopped).toBe(before + 1)
    }
  })

  it('ends even if it has not begun yet', async () => {
    const { token, about } = await made()
    const before = checks
    const end = ended(near.request('/api/health', token, { method: 'POST' }))
    await expect.poll(() => checks).toBe(before + 1)
    unwrap(await near.team.revokeToken('main', about.id))
    expect(await Promise.race([end, wait(20_000, 'goes on')])).toBe('cut')
  })

  it('still reaches the person who revoked their own token', async () => {
    const { token, about } = await made()
    const revoked = await near.request(`/api/team/tokens/${about.id}/revoke`, token, { method: 'POST' })
    expect(revoked.status).toBe(200)
    expect(await revoked.json()).toMatchObject({ id: about.id })
    expect((await near.request('/api/me', token)).status).toBe(401)
  })

  it('continues for callers whose access did not change', async () => {
    const [{ token }, other] = [await made(), await made()]
    const stop = new AbortController()
    const answer = await near.request('/api/rebuild', token, { method: 'POST', signal: stop.signal })
    const end = ended(Promise.resolve(answer))
    unwrap(await near.team.revokeToken('main', other.about.id))
    expect(await Promise.race([end, wait(3_000, 'goes on')])).toBe('goes on')
    stop.abort()
    expect(await end).toBe('cut')
  })
})
