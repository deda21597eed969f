import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestHub, type TestHub } from '../../hub.test-kit.ts'
import { unwrap } from '../../server.test-kit.ts'
import { type Balancer, startBalancer } from '../balancer.test-kit.ts'
import { type Account, Browser, CLIENT, startProvider, type TestProvider } from './provider.test-kit.ts'

let provider: TestProvider
let balancer: Balancer
let kit: TestHub
let far: TestHub
let browser: Browser

const ada: Account = { sub: 'sub-ada', email: 'ada@team.test', email_verified: true, name: 'Ada' }

beforeAll(async () => {
  provider = await startProvider()
  balancer = await startBalancer()
  kit = await startTestHub({
    config: {
      team: {
        rate_per_second: 1e6,
        rate_burst: 1e6,
        public_url: balancer.address,
        sign_in: {
          issuer: provider.issuer,
          client_id: CLIENT.client_id,
          client_secret_env: 'SIGN_IN_SECRET',
          domains: ['welcome.test'],
          role: 'viewer',
          space: 'other',
        },
      },
    },
    options: { env: { SIGN_IN_SECRET: CLIENT.client_secret } },
  })
  far = await kit.another()
  provider.knows(`${balancer.address}/auth/callback`)
  const user = unwrap(await kit.team.createUser({ email: ada.email, name: 'Ada' }))
  unwrap(await kit.team.setRole(user.id, 'main', 'admin'))
})
afterAll(async () => {
  await far?.stop()
  await kit?.stop()
  await balancer?.stop()
  await provider?.stop()
})
beforeEach(() => {
  browser = new Browser()
  balancer.leads(kit.port)
})

const begin = (to = '/') => `${balancer.address}/auth/sign-in?to=${encodeURIComponent(to)}`
const isCallback = (url: string) => url.includes('/auth/callback')
const me = async (at = balancer.address) => {
  const answer = await browser.ask(`${at}/api/me`, { headers: { accept: 'application/json' } })
  return { status: answer.status, ...((await answer.json()) as object) }
}
const signIn = async (account: Account, to?: string) => {
  provider.sits(account)
  const { answer } = await browser.go(begin(to))
  return { answer, text: await answer.text() }
}
const isSignedIn = () => browser.cookies(balancer.address).has('panoptes_hub')

describe('sign-in at a hub', () => {
  it('admits a person with the verified address that an admin added, and opens the page they wanted', async () => {
    const { answer, text } = await signIn(ada, '/sessions')
    expect(answer.status).toBe(200)
    expect(text).toContain('content="0;url=/sessions"')
    expect(await me()).toMatchObject({ status: 200, label: 'ada@team.test', role: 'admin', space: 'main' })
  })

  it('recognizes people by their account afterwards, whatever their address is', async () => {
    await signIn({ ...ada, email: 'ada@elsewhere.test', email_verified: false })
    expect(await me()).toMatchObject({ status: 200, label: 'ada@team.test' })
  })

  it('refuses an address that belongs to somebody with another account', async () => {
    const { answer } = await signIn({ ...ada, sub: 'sub-another' })
    expect(answer.status).toBe(403)
    expect(isSignedIn()).toBe(false)
  })

  it('keeps its state sealed, out of reach of scripts, for ten minutes', async () => {
    const answer = await browser.ask(begin())
    const [line = ''] = answer.headers.getSetCookie()
    expect(line).toMatch(/^panoptes_on_the_way=[\w-]+; HttpOnly; SameSite=Lax; Path=\/; Max-Age=600$/)
    const location = new URL(answer.headers.get('location') ?? '')
    for (const secret of ['state', 'nonce'])
      expect(Buffer.from(line, 'base64url').toString('latin1')).not.toContain(
        location.searchParams.get(secret),
      )
    expect(location.searchParams.get('code_challenge_method')).toBe('S256')
  })

  it('may return to another hub behind the same name', async () => {
    provider.sits(ada)
    balancer.leads(kit.port)
    const { at } = await browser.go(`${balancer.address}/auth/sign-in`, isCallback)
    expect(at.startsWith(`${balancer.address}/auth/callback?`)).toBe(true)
    balancer.leads(far.port)
    expect((await browser.ask(at)).status).toBe(200)
    balancer.leads(kit.port)
    expect(await me(balancer.address)).toMatchObject({ status: 200, label: 'ada@team.test' })
  })

  it('admits newcomers of an allowed domain, but not of a domain with the same ending', async () => {
    await signIn({ sub: 'sub-new', email: 'new@Welcome.test', email_verified: true, name: 'New' })
    expect(await me()).toMatchObject({ status: 200, role: 'viewer', space: 'other' })
    for (const email of ['x@evil-welcome.test', 'x@sub.welcome.test', 'x@welcome.test.evil.test']) {
      browser = new Browser()
      const { answer, text } = await signIn({ sub: `sub-${email}`, email, email_verified: true, name: 'X' })
      expect([answer.status, isSignedIn()]).toEqual([403, false])
      expect(text).toContain('Ask an admin of the team to add you')
    }
  })

  it('tells admins why the provider refused the hub, and browsers only that it failed', async () => {
    const wrong = await startTestHub(
      {
        spaces: ['main'],
        config: {
          team: {
            public_url: balancer.address,
            sign_in: {
              issuer: provider.issuer,
              client_id: CLIENT.client_id,
              client_secret_env: 'SIGN_IN_SECRET',
            },
          },
        },
        options: { env: { SIGN_IN_SECRET: 'another-secret' } },
      },
      kit.database,
    )
    try {
      provider.sits(ada)
      const { at } = await browser.go(begin(), isCallback)
      balancer.leads(wrong.port)
      const answer = await browser.ask(at)
      expect([answer.status, isSignedIn()]).toEqual([502, false])
      const text = await answer.text()
      expect(text).toContain('did not confirm your sign-in')
      expect(text).not.toContain('invalid_client')
      expect(wrong.logged()).toContain('invalid_client')
      await expect
        .poll(async () => unwrap(await kit.team.audit({ action: 'sign-in', limit: 100 })).entries)
        .toContainEqual(
          expect.objectContaining({
            outcome: 'failed',
            space: 'main',
            target: expect.stringContaining('invalid_client'),
          }),
        )
    } finally {
      await wrong.stop()
    }
  })

  it('explains to a refused person why, and what to do', async () => {
    const unverified = await signIn({ sub: 'sub-u', email: ada.email, email_verified: false, name: 'U' })
    expect([unverified.answer.status, isSignedIn()]).toEqual([403, false])
    expect(unverified.text).toContain('Verify it there')

    const off = unwrap(await kit.team.createUser({ email: 'off@team.test' }))
    unwrap(await kit.team.setRole(off.id, 'main', 'member'))
    unwrap(await kit.team.changeUser(off.id, { disabled: true }))
    browser = new Browser()
    const disabled = await signIn({ sub: 'sub-off', email: 'off@team.test', email_verified: true, name: 'O' })
    expect([disabled.answer.status, isSignedIn()]).toEqual([403, false])
    expect(disabled.text).toContain('disabled')

    unwrap(await kit.team.createUser({ email: 'none@team.test' }))
    browser = new Browser()
    const nowhere = await signIn({
      sub: 'sub-none',
      email: 'none@team.test',
      email_verified: true,
      name: 'N',
    })
    expect([nowhere.answer.status, isSignedIn()]).toEqual([403, false])
    expect(nowhere.text).toContain('not in a space')
  })

  it('refuses removed people of an allowed domain until an admin adds them again', async () => {
    const account = { sub: 'sub-fay', email: 'fay@welcome.test', email_verified: true, name: 'Fay' }
    await signIn(account)
    expect(await me()).toMatchObject({ status: 200, label: 'fay@welcome.test' })
    const { id } = unwrap(await kit.team.findUser({ email: account.email })) as { id: string }
    unwrap(await kit.team.removeUser(id))
    for (const again of [
      account,
      { ...account, sub: 'sub-fay-2' },
      { ...account, email: 'f@welcome.test' },
    ]) {
      browser = new Browser()
      const { answer, text } = await signIn(again)
      expect([answer.status, isSignedIn()]).toEqual([403, false])
      expect(text).toContain('not in a space')
    }
    unwrap(await kit.team.setRole(id, 'main', 'member'))
    browser = new Browser()
    await signIn(account)
    expect(await me()).toMatchObject({ status: 200, user: { id }, space: 'main' })
  })

  it('binds a person to another account after an admin allowed it', async () => {
    const account = { sub: 'sub-gus-1', email: 'gus@team.test', email_verified: true, name: 'Gus' }
    const { id } = unwrap(await kit.team.createUser({ email: account.email }))
    unwrap(await kit.team.setRole(id, 'main', 'member'))
    await signIn(account)
    unwrap(await kit.team.unlinkUser(id))
    browser = new Browser()
    await signIn({ ...account, sub: 'sub-gus-2' })
    expect(await me()).toMatchObject({ status: 200, user: { id } })
    browser = new Browser()
    expect((await signIn(account)).answer.status).toBe(403)
  })

  it('shows text from outside as text only', async () => {
    const email = '<img/src=x>@evil.test'
    const { text } = await signIn({ sub: 'sub-html', email, email_verified: true, name: '<script>' })
    expect(text).not.toContain('<img')
    expect(text).toContain('&lt;img')
  })

  it('appears in the audit log, also if it was refused', async () => {
    await expect
      .poll(async () => unwrap(await kit.team.audit({ action: 'sign-in', limit: 100 })).entries)
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            actor: 'ada@team.test',
            space: 'main',
            outcome: 'done',
            address: '127.0.0.1',
          }),
          expect.objectContaining({ actor: 'off@team.test', target: 'disabled', outcome: 'refused' }),
          expect.objectContaining({ target: 'unverified', outcome: 'refused' }),
        ]),
      )
  })
})

it('records the refusal of a disabled person only in the audit log of their own space', async () => {
  const email = 'far-off@team.test'
  const { id } = unwrap(await kit.team.createUser({ email }))
  unwrap(await kit.team.setRole(id, 'other', 'member'))
  unwrap(await kit.team.changeUser(id, { disabled: true }))
  await signIn({ sub: 'sub-far-off', email, email_verified: true, name: 'F' })
  const noted = async (space: string) =>
    unwrap(await kit.team.audit({ space, actor: email, limit: 10 })).entries.map(({ target }) => target)
  await expect.poll(() => noted('other')).toEqual(['disabled'])
  expect(await noted('main')).toEqual([])
})

describe('the callback of a provider', () => {
  const isRefused = async (url: string, who = browser) => {
    const answer = await who.ask(url)
    const text = await answer.text()
    expect([
      answer.status,
      text.includes('Sign-in failed'),
      who.cookies(balancer.address).has('panoptes_hub'),
    ]).toEqual([400, true, false])
  }
  const comeBack = async () => {
    provider.sits(ada)
    return (await browser.go(begin(), isCallback)).at
  }
  const changed = (url: string, name: string, value: string | null) => {
    const other = new URL(url)
    if (value === null) other.searchParams.delete(name)
    else other.searchParams.set(name, value)
    return other.href
  }

  it('is refused with another state or without one', async () => {
    await isRefused(changed(await comeBack(), 'state', 'made-up'))
    await isRefused(changed(await comeBack(), 'state', null))
  })

  it('is refused from another issuer or without one', async () => {
    await isRefused(changed(await comeBack(), 'iss', 'https://evil.test'))
    await isRefused(changed(await comeBack(), 'iss', null))
  })

  it('is refused with an invented code, and with a used one', async () => {
    await isRefused(changed(await comeBack(), 'code', 'made-up'))
    const url = await comeBack()
    const sealed = browser.cookies(balancer.address).get('panoptes_on_the_way') ?? ''
    expect((await browser.ask(url)).status).toBe(200)
    const thief = new Browser()
    thief.cookies(balancer.address).set('panoptes_on_the_way', sealed)
    await isRefused(url, thief)
  })

  it('is refused in another browser, so that nobody signs in as somebody else', async () => {
    const url = await comeBack()
    await isRefused(url, new Browser())
    const other = new Browser()
    await other.ask(begin())
    await isRefused(url, other)
  })

  it('is refused with a changed or invented cookie', async () => {
    const url = await comeBack()
    const sealed = browser.cookies(balancer.address).get('panoptes_on_the_way') ?? ''
    for (const value of ['', 'x', `${sealed.slice(0, -2)}AA`, sealed.slice(0, 20), 'A'.repeat(200)]) {
      const other = new Browser()
      other.cookies(balancer.address).set('panoptes_on_the_way', value)
      await isRefused(url, other)
    }
  })

  it('is refused if the provider reports an error', async () => {
    const url = new URL(await comeBack())
    url.searchParams.delete('code')
    url.searchParams.set('error', 'access_denied')
    await isRefused(url.href)
  })
})

describe('the path after a sign-in', () => {
  it.each([
    '//evil.test',
    'https://evil.test',
    '/\\evil.test',
    '/a//evil.test',
    'javascript:alert(1)',
    '/"><script>',
  ])('never leads to %s', async (to) => {
    const { text } = await signIn(ada, to)
    expect(text).toContain('content="0;url=/"')
    expect(text).not.toContain('evil')
  })
})

describe('the session of a signed-in browser', () => {
  it('is new at each sign-in, so that nobody can plant one beforehand', async () => {
    browser.cookies(balancer.address).set('panoptes_hub', 'ses_planted')
    await signIn(ada)
    const first = browser.cookies(balancer.address).get('panoptes_hub')
    expect(first).not.toBe('ses_planted')
    await signIn(ada)
    const second = browser.cookies(balancer.address).get('panoptes_hub')
    expect(second).not.toBe(first)
    const old = await fetch(`${balancer.address}/api/me`, { headers: { cookie: `panoptes_hub=${first}` } })
    expect(old.status).toBe(401)
  })

  it('ends at every hub when the person signs out', async () => {
    await signIn(ada)
    const secret = browser.cookies(balancer.address).get('panoptes_hub')
    const out = await browser.ask(`${balancer.address}/auth/sign-out`, { method: 'POST' })
    expect([out.status, isSignedIn()]).toEqual([200, false])
    for (const { address } of [kit, far])
      expect(
        (await fetch(`${address}/api/me`, { headers: { cookie: `panoptes_hub=${secret}` } })).status,
      ).toBe(401)
  })

  it('cannot be ended by a page of another site', async () => {
    await signIn(ada)
    for (const headers of [{ origin: 'https://evil.test' }, { 'sec-fetch-site': 'cross-site' }]) {
      const out = await browser.ask(`${balancer.address}/auth/sign-out`, { method: 'POST', headers })
      expect(out.status).toBe(403)
    }
    expect((await me()).status).toBe(200)
  })
})

describe('the sign-in page of a hub', () => {
  it('offers the provider and a field for a token, within the strict content security policy', async () => {
    const answer = await browser.ask(`${balancer.address}/sessions`)
    const text = await answer.text()
    expect(answer.status).toBe(401)
    expect(text).toContain('href="/auth/sign-in?to=%2Fsessions"')
    expect(text).toContain('action="/auth/token"')
    expect(answer.headers.get('content-security-policy')).toContain("form-action 'self'")
    expect(text).not.toMatch(/<script|style="/)
  })

  it('accepts a token of a person or a machine, and no other', async () => {
    const send = (token: string, headers: Record<string, string> = {}) =>
      browser.ask(`${balancer.address}/auth/token`, {
        method: 'POST',
        body: new URLSearchParams({ token }),
        headers,
      })
    const good = await kit.token({ space: 'other', role: 'viewer' })
    for (const token of ['', 'pan_wrong', await kit.token({ space: 'main', scope: 'ingest' })]) {
      expect((await send(token)).status).toBe(401)
      expect(isSignedIn()).toBe(false)
    }
    const refusals = async () =>
      unwrap(await kit.team.audit({ action: 'sign-in', limit: 2 })).entries.map(({ outcome, target }) => [
        outcome,
        target,
      ])
    await expect.poll(refusals).toContainEqual(['refused', 'wrong_scope'])
    expect((await refusals()).map(([outcome]) => outcome)).toEqual(['refused', 'refused'])
    expect((await send(good, { origin: 'https://evil.test' })).status).toBe(403)
    const answer = await send(good)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
    expect(answer.headers.getSetCookie()[0]).toMatch(/HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+$/)
    expect(await me()).toMatchObject({ status: 200, role: 'viewer', space: 'other' })
    expect(kit.logged()).not.toContain(good)
  })
})

it('is not started without the client secret, which the error names', async () => {
  const started = startTestHub({
    spaces: [],
    config: { team: { sign_in: { issuer: provider.issuer, client_id: 'x', client_secret_env: 'NOT_SET' } } },
    options: { env: {} },
  })
  await expect(started).rejects.toThrow('names the variable NOT_SET, which is not set')
})
