import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failure } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { many, overriding, session, startTestServer, type TestServer } from './server.test-kit.ts'

let kit: TestServer
beforeAll(async () => {
  kit = await startTestServer()
  await kit.post(...many(500))
})
afterAll(() => kit.stop())

const getJson = async (path: string): Promise<unknown> => (await kit.request(path)).json()

describe('long-running work', () => {
  const lines = async (answer: Response) =>
    (await answer.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; value?: unknown })

  it('makes a backup in the home, and the status shows it', async () => {
    const answer = await kit.request('/api/backup', { method: 'POST' })
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
    const last = (await lines(answer)).at(-1)
    expect(last).toMatchObject({ type: 'result', value: { path: expect.stringContaining('backups') } })
    expect(await readdir(join(kit.paths.home, 'backups'))).toHaveLength(1)
    expect(await getJson('/api/status')).toMatchObject({
      storage: { last_backup: { path: expect.stringContaining('backups') } },
    })
  })

  it('makes a backup at a given path, and explains a failure', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'panoptes-backup-'))
    const body = JSON.stringify({ path: join(folder, 'copy.db') })
    const made = await lines(await kit.request('/api/backup', { method: 'POST', body }))
    expect(made.at(-1)).toMatchObject({ type: 'result' })
    const again = await lines(await kit.request('/api/backup', { method: 'POST', body }))
    expect(again.at(-1)).toMatchObject({ type: 'failure', message: expect.stringContaining('copy.db') })
    const relative = await kit.request('/api/backup', { method: 'POST', body: '{"path":"copy.db"}' })
    expect(relative.status).toBe(400)
    const own = JSON.stringify({ path: kit.paths.config, replace: true })
    expect((await kit.request('/api/backup', { method: 'POST', body: own })).status).toBe(400)
    const over = JSON.stringify({ path: join(folder, 'copy.db'), replace: true })
    const replaced = await lines(await kit.request('/api/backup', { method: 'POST', body: over }))
    expect(replaced.at(-1)).toMatchObject({ type: 'result' })
    await rm(folder, { recursive: true })
  })

  it('compares the projections with the log', async () => {
    const answer = await kit.request('/api/rebuild', { method: 'POST', body: '{"check":true}' })
    expect((await lines(answer)).at(-1)).toMatchObject({
      type: 'result',
      value: { differences: 0, applied: false },
    })
  })
})

describe('failures of the store', () => {
  it.each([
    ['disk_full', 507],
    ['read_only', 503],
    ['busy', 503],
    ['io', 500],
  ] as const)('answer %s with status %d', async (code, status) => {
    const broken = await startTestServer({
      wrap: (store) => overriding(store, { append: async () => failure(code, 'as told') }),
    })
    const answer = await broken.post(session(1))
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(await answer.json()).toMatchObject({ code, detail: 'as told', next: expect.stringMatching(/\w/) })
    if (code === 'busy') expect(answer.headers.get('retry-after')).toBe('1')
    await broken.stop()
  })
})

describe('long-running work whose client disconnected', () => {
  it('is aborted, and only one runs at a time', async () => {
    const aborted = Promise.withResolvers<void>()
    const slow = await startTestServer({
      wrap: (store) =>
        overriding(store, {
          rebuild: ({ signal, onProgress }) => {
            onProgress?.(1, 10)
            return new Promise((resolve) => {
              signal?.addEventListener('abort', () => {
                aborted.resolve()
                resolve(failure('stopped', 'stopped'))
              })
            })
          },
        }),
    })
    const leave = new AbortController()
    const first = await slow.request('/api/rebuild', { method: 'POST', signal: leave.signal })
    const reader = first.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(
      '{"type":"progress","done":1,"total":10}\n',
    )
    const second = await slow.request('/api/backup', { method: 'POST' })
    expect(second.status).toBe(409)
    expect(await second.json()).toMatchObject({ code: 'already_running' })
    leave.abort()
    await aborted.promise
    await slow.stop()
  })
})
