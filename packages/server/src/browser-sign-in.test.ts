import type { BrowsersReply } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Answer, askRaw, openStream, startTestServer, type TestServer } from './server.test-kit.ts'

let kit: TestServer
beforeEach(async () => {
  kit = await startTestServer()
})
afterEach(() => kit.stop())

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
/** Behind a proxy the user of a browser is unknown. */
const behindProxy = { 'x-forwarded-for': '192.0.2.7' }

const newLink = () => kit.server.link().slice(kit.address.length)
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  askRaw(kit.server.port, { path, method, headers: { 'user-agent': FIREFOX, ...headers } })
const cookieIn = (answer: Answer, name: string): string | undefined =>
  [answer.headers['set-cookie'] ?? []]
    .flat()
    .map((line) => line.split(';')[0] ?? '')
    .find((pair) => pair.startsWith(`${name}_${kit.server.port}=`) && !pair.endsWith('='))
const codeIn = (answer: Answer) => /confirm ([2-9A-Z]{3}-[2-9A-Z]{3})/.exec(answer.text)?.[1] ?? ''
const confirm = (code: string) =>
  kit.request('/api/confirm', { method: 'POST', body: JSON.stringify({ code }) })
const signedIn = async () => cookieIn(await ask(newLink()), 'panoptes') ?? ''
const statusOf = async (cookie: string) => (await ask('/api/status', { cookie })).status

describe('a one-time link opened by an unknown user', () => {
  it('shows a code, and signs in the browser that shows it after the code is confirmed', async () => {
    const link = newLink()
    const shown = await ask(link, behindProxy)
    expect(shown.status).toBe(401)
    expect(cookieIn(shown, 'panoptes')).toBeUndefined()
    const own = { ...behindProxy, cookie: cookieIn(shown, 'panoptes_asks') ?? '' }
    const other = await ask(link, behindProxy)
    expect(codeIn(other)).not.toBe(codeIn(shown))
    expect(codeIn(await ask(link, own))).toBe(codeIn(shown))

    const confirmed = await confirm(codeIn(shown).toLowerCase())
    expect(await confirmed.json()).toEqual({ confirmed: 'Firefox on Linux is signed in' })
    const otherCookie = cookieIn(other, 'panoptes_asks') ?? ''
    expect((await ask(link, { ...behindProxy, cookie: otherCookie })).status).toBe(401)
    const done = await ask(link, own)
    expect(done.status).toBe(303)
    expect(await statusOf(cookieIn(done, 'panoptes') ?? '')).toBe(200)
    // Neither the link nor the code works again.
    expect((await ask(link, own)).text).toContain('already used')
    expect((await ask(link)).status).toBe(401)
    expect((await confirm(codeIn(shown))).status).toBe(404)
  })

  it('still works for the user who runs Panoptes', async () => {
    const link = newLink()
    for (let at = 0; at < 3; at += 1) expect((await ask(link, behindProxy)).status).toBe(401)
    expect((await ask(link)).status).toBe(303)
  })

  it('signs in one browser only, so the other codes end when it is used', async () => {
    const link = newLink()
    const other = await ask(link, behindProxy)
    const confirmed = await ask(link, behindProxy)
    expect((await confirm(codeIn(confirmed))).status).toBe(200)
    expect((await ask(link)).status).toBe(303)
    expect((await confirm(codeIn(other))).status).toBe(404)
    for (const each of [other, confirmed]) {
      const again = await ask(link, { ...behindProxy, cookie: cookieIn(each, 'panoptes_asks') ?? '' })
      expect(cookieIn(again, 'panoptes')).toBeUndefined()
      expect(again.text).toContain('already used')
    }
  })

  it('frees its pending codes once it was used', async () => {
    const [link, next] = [newLink(), newLink()]
    for (let at = 0; at < 33; at += 1) await ask(link, behindProxy)
    expect(codeIn(await ask(next, behindProxy))).toBe('')
    expect((await ask(link)).status).toBe(303)
    expect(codeIn(await ask(next, behindProxy))).not.toBe('')
  })

  it('shows no code for an invented link', async () => {
    expect(codeIn(await ask('/?link=guess', behindProxy))).toBe('')
  })
})

it('refuses every code after five wrong ones', async () => {
  const shown = await ask(newLink(), behindProxy)
  for (let at = 0; at < 5; at += 1) expect((await confirm('222-222')).status).toBe(404)
  expect((await confirm(codeIn(shown))).status).toBe(429)
})

describe('a signed-in browser', () => {
  it('sees a token once, and only after a confirmation in the terminal', async () => {
    const [cookie, other] = [await signedIn(), await signedIn()]
    for (const scope of ['full', 'ingest', 'gateway'] as const) {
      const token = await kit.token(scope)
      const reveal = (from: string) => ask(`/api/tokens/${scope}/reveal`, { cookie: from }, 'POST')
      const asked = await reveal(cookie)
      expect(asked.status).toBe(403)
      expect(asked.text).not.toContain(token)
      expect((await confirm(codeIn(asked))).status).toBe(200)
      expect((await reveal(other)).status).toBe(403)
      expect(JSON.parse((await reveal(cookie)).text)).toEqual({ scope, token })
      expect((await reveal(cookie)).status).toBe(403)
    }
  })

  it('does not see a token that it rotates, and can neither make links nor confirm codes', async () => {
    const cookie = await signedIn()
    const rotated = await ask('/api/tokens/full/rotate', { cookie }, 'POST')
    expect(JSON.parse(rotated.text)).toEqual({ scope: 'full' })
    const renewed = cookieIn(rotated, 'panoptes') ?? ''
    expect([await statusOf(cookie), await statusOf(renewed)]).toEqual([401, 200])
    const shown = await ask(newLink(), behindProxy)
    expect((await ask('/api/link', { cookie: renewed }, 'POST')).status).toBe(403)
    const body = JSON.stringify({ code: codeIn(shown) })
    const headers = { cookie: renewed, 'content-type': 'application/json' }
    const answer = await askRaw(kit.server.port, { path: '/api/confirm', method: 'POST', headers, body })
    expect(answer.status).toBe(403)
  })

  it('stays signed in for 30 days', async () => {
    const answer = await ask(newLink())
    expect(String(answer.headers['set-cookie'])).toContain('Max-Age=2592000')
  })

  it('is listed, and is signed out at once when it is revoked, including its stream', async () => {
    const [first, second] = [await signedIn(), await signedIn()]
    const listed = JSON.parse((await ask('/api/browsers', { cookie: first })).text) as BrowsersReply
    expect(listed.browsers.map(({ browser }) => browser)).toEqual(['Firefox on Linux', 'Firefox on Linux'])
    const own = listed.browsers.find(({ current }) => current)
    expect(listed.browsers.filter(({ current }) => current)).toHaveLength(1)
    const stream = await openStream(`${kit.address.replace('http', 'ws')}/stream`, [], { cookie: first })
    const revoked = await kit.request(`/api/browsers/${own?.id}`, { method: 'DELETE' })
    expect(await revoked.json()).toEqual({ revoked: 1 })
    expect((await stream.closed).code).toBe(1008)
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200])
    expect((await kit.request(`/api/browsers/${own?.id}`, { method: 'DELETE' })).status).toBe(404)
    await kit.request('/api/browsers', { method: 'DELETE' })
    expect(await statusOf(second)).toBe(401)
    expect((await kit.request('/api/status')).status).toBe(200)
  })
})
