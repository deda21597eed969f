import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './server.test-kit.ts'

let folder: string
let kit: TestServer
const HTML = { accept: 'text/html', 'accept-encoding': 'identity' }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-page-'))
  const page = join(folder, 'page')
  await mkdir(join(page, 'assets'), { recursive: true })
  await writeFile(join(folder, 'secret.txt'), 'secret')
  await writeFile(join(page, 'index.html'), '<p>the page')
  await writeFile(join(page, 'favicon.svg'), '<svg/>')
  const script = 'console.log("hello")'
  await writeFile(join(page, 'assets', 'index-Ab3dEf9h.js'), script)
  await writeFile(join(page, 'assets', 'index-Ab3dEf9h.js.br'), brotliCompressSync(script))
  await writeFile(join(page, 'assets', 'index-Ab3dEf9h.js.gz'), gzipSync(script))
  await symlink(join(folder, 'secret.txt'), join(page, 'link.txt'))
  kit = await startTestServer({ options: { page } })
})
afterAll(async () => {
  await kit.stop()
  await rm(folder, { recursive: true, force: true })
})

describe('the files of the page', () => {
  it('have their content types, and hashed ones are cached forever', async () => {
    const index = await kit.request('/', { headers: HTML })
    expect(await index.text()).toBe('<p>the page')
    expect(index.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(index.headers.get('cache-control')).toBe('no-cache')
    expect(index.headers.get('content-security-policy')).toContain(
      `connect-src 'self' ws://127.0.0.1:${kit.server.port}`,
    )
    const script = await kit.request('/assets/index-Ab3dEf9h.js')
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
    expect((await kit.request('/favicon.svg')).headers.get('content-type')).toBe('image/svg+xml')
  })

  it.each(['br', 'gzip'])('are compressed with %s if the client accepts it', async (encoding) => {
    const answer = await kit.request('/assets/index-Ab3dEf9h.js', {
      headers: { 'accept-encoding': encoding },
    })
    expect(answer.headers.get('content-encoding')).toBe(encoding)
    expect(answer.headers.get('vary')).toBe('accept-encoding')
    expect(await answer.text()).toBe('console.log("hello")')
  })

  it('are plain if the client refuses compression', async () => {
    const headers = { 'accept-encoding': 'br;q=0, identity' }
    const answer = await kit.request('/assets/index-Ab3dEf9h.js', { headers })
    expect(answer.headers.get('content-encoding')).toBeNull()
  })

  it('are not sent again to a client that has them', async () => {
    const etag = (await kit.request('/favicon.svg')).headers.get('etag') ?? ''
    const again = await kit.request('/favicon.svg', { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  })

  it('answer a navigation to any path of the page, but not to the API', async () => {
    expect(await (await kit.request('/settings/health', { headers: HTML })).text()).toBe('<p>the page')
    expect((await kit.request('/settings/health', { headers: { accept: '*/*' } })).status).toBe(404)
    expect((await kit.request('/api/nothing', { headers: HTML })).status).toBe(404)
    expect((await kit.request('/assets/missing.js', { headers: { accept: '*/*' } })).status).toBe(404)
  })

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/link.txt',
    '//secret.txt',
    '/\\..\\secret.txt',
    '/%00',
  ])('never lie outside of the folder: %s', async (path) => {
    const answer = await kit.request(path)
    expect(answer.status).toBe(404)
    expect(await answer.text()).not.toContain('secret\n')
  })

  it('are read again after a new build', async () => {
    const file = join(folder, 'page', 'index.html')
    await writeFile(file, '<p>the new page')
    await writeFile(join(folder, 'page', 'new.txt'), 'new')
    await utimes(file, new Date(), new Date(Date.now() + 5_000))
    expect(await (await kit.request('/', { headers: HTML })).text()).toBe('<p>the new page')
    expect(await (await kit.request('/new.txt')).text()).toBe('new')
  })
})

describe('a server without a page', () => {
  it('serves only the API', async () => {
    const alone = await startTestServer()
    expect((await alone.request('/', { headers: HTML })).status).toBe(404)
    expect((await alone.request('/api/tokens')).status).toBe(200)
    await alone.stop()
  })
})
