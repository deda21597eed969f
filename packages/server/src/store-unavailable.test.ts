import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { session, startTestServer, type TestServer, unwrap } from './server.test-kit.ts'

let kit: TestServer
beforeEach(async () => {
  kit = await startTestServer()
})
afterEach(() => kit.stop())

const ready = () => fetch(`${kit.server.address}/ready`)
const post = async (authorization: string) =>
  kit.request('/events', { method: 'POST', body: JSON.stringify(session('a')), headers: { authorization } })
const bearer = async () => `Bearer ${await kit.token('ingest')}`
const folder = async () => dirname(unwrap(await kit.store.info()).path)

describe('a server whose store folder was removed', () => {
  it('refuses events with 503 and is not ready', async () => {
    expect((await ready()).status).toBe(200)
    const authorization = await bearer()
    await rm(await folder(), { recursive: true })
    const posted = await post(authorization)
    expect(posted.status).toBe(503)
    expect(await posted.json()).toMatchObject({
      code: 'gone',
      detail: expect.stringContaining('was deleted'),
      next: expect.stringContaining('restart Panoptes'),
    })
    const told = await ready()
    expect(told.status).toBe(503)
    expect(await told.json()).toMatchObject({
      code: 'not_ready',
      detail: expect.stringContaining('deleted'),
      next: expect.stringContaining('restart Panoptes'),
    })
  })

  it('accepts events again when the folder is back', async () => {
    const place = await folder()
    const authorization = await bearer()
    await rename(place, `${place}-moved`)
    const refused = await post(authorization)
    await rename(`${place}-moved`, place)
    expect(refused.status).toBe(503)
    expect((await ready()).status).toBe(200)
    expect(await (await kit.post(session('a'))).json()).toMatchObject({ accepted: 1 })
  })
})
