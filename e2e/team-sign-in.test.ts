import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Balancer, startBalancer } from '@panoptes/server/testing/balancer'
import { startTestHub, type TestHub } from '@panoptes/server/testing/hub'
import { unwrap } from '@panoptes/server/testing/server'
import {
  type Account,
  CLIENT,
  Browser as FollowingBrowser,
  startProvider,
  type TestProvider,
} from '@panoptes/server/testing/sign-in-provider'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { requireChromium } from './setup/chromium.ts'

let folder: string
let provider: TestProvider
let balancer: Balancer
let kit: TestHub
let evil: Server
let browser: Browser
let context: BrowserContext
/** Three sites from the browser's point of view: the hub, its sign-in provider, and a third party. */
let hub: string
let evilSite: string

const ada: Account = { sub: 'ada', email: 'ada@team.test', email_verified: true, name: 'Ada' }
const mallory: Account = { sub: 'mallory', email: 'mallory@team.test', email_verified: true, name: 'Mallory' }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-sign-in-'))
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Inside</title><h1>Inside</h1>')
  ;[provider, balancer] = await Promise.all([startProvider(), startBalancer()])
  hub = balancer.address.replace('127.0.0.1', 'hub.localhost')
  provider.knows(`${hub}/auth/callback`)
  kit = await startTestHub({
    spaces: ['main'],
    config: {
      team: {
        public_url: hub,
        sign_in: { issuer: provider.issuer, client_id: CLIENT.client_id, client_secret_env: 'SECRET' },
      },
    },
    options: { env: { SECRET: CLIENT.client_secret }, page: folder },
  })
  balancer.leads(kit.port)
  for (const { email } of [ada, mallory]) {
    const user = unwrap(await kit.team.createUser({ email }))
    unwrap(await kit.team.setRole(user.id, 'main', 'admin'))
  }
  evil = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>another site</title>')
  })
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
  evilSite = `http://evil.localhost:${(evil.address() as AddressInfo).port}`
  const { args, ...installed } = await requireChromium()
  browser = await chromium.launch({
    ...installed,
    headless: true,
    timeout: 60_000,
    args: [...args, '--host-resolver-rules=MAP hub.localhost 127.0.0.1, MAP evil.localhost 127.0.0.1'],
  })
})
afterAll(async () => {
  await browser?.close()
  evil?.closeAllConnections()
  evil?.close()
  await kit?.stop()
  await balancer?.stop()
  await provider?.stop()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  context = await browser.newContext()
})
afterEach(() => context.close())

async function signIn(account: Account, path = '/'): Promise<Page> {
  provider.sits(account)
  const page = await context.newPage()
  await page.goto(`${hub}${path}`)
  await page.getByRole('link', { name: /^Sign in with/ }).click()
  await page.getByRole('heading', { name: 'Inside' }).waitFor()
  return page
}

/** The person whom a page of the hub shows as signed in. */
const who = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const answer = await fetch('/api/me')
    return answer.ok ? ((await answer.json()) as { label: string }).label : String(answer.status)
  })

const stillAda = async (page: Page) => expect(await who(page)).toBe('ada@team.test')

describe('a browser that signs in with a provider', () => {
  it('ends where it wanted to go, with a cookie that no script and no other site has', async () => {
    const page = await signIn(ada, '/sessions')
    expect(page.url()).toBe(`${hub}/sessions`)
    await stillAda(page)
    const [cookie, ...others] = await context.cookies(hub)
    expect(cookie).toMatchObject({ name: 'panoptes_hub', httpOnly: true, sameSite: 'Strict' })
    expect(others).toEqual([])
    expect(await page.evaluate('document.cookie')).toBe('')
  })

  it('is signed in also after a link on another site', async () => {
    await signIn(ada)
    const page = await context.newPage()
    await page.goto(evilSite)
    page.evaluate(`location.href = '${hub}/sessions'`).catch(() => undefined)
    await page.getByRole('heading', { name: 'Inside' }).waitFor()
    await stillAda(page)
  })

  it("is signed out by the hub's own page", async () => {
    const page = await signIn(ada)
    expect(
      await page.evaluate(() => fetch('/auth/sign-out', { method: 'POST' }).then(({ status }) => status)),
    ).toBe(200)
    expect(await who(page)).toBe('401')
    expect(await context.cookies(hub)).toEqual([])
  })
})

describe('a page of another site', () => {
  /** The log shows answers that the browser hides from a page. */
  const answers = (path: string): readonly number[] =>
    kit
      .logged()
      .split('\n')
      .filter((line) => line.includes(`"path":"${path}"`))
      .map((line) => (JSON.parse(line) as { readonly status: number }).status)
  /** Runs a script on the other site, and waits until the hub has answered. */
  const from = async (script: string, path: string): Promise<number | undefined> => {
    const before = answers(path).length
    const page = await context.newPage()
    await page.goto(evilSite)
    page.evaluate(script).catch(() => undefined)
    await expect.poll(() => answers(path).length).toBeGreaterThan(before)
    await page.close()
    return answers(path).at(before)
  }
  const submit = (path: string, fields: Record<string, string> = {}) => {
    const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`)
    const html = `<form method="post" action="${hub}${path}">${inputs.join('')}</form>`
    return `document.body.innerHTML = ${JSON.stringify(html)}; document.forms[0].submit()`
  }

  it('cannot sign a browser out', async () => {
    const page = await signIn(ada)
    expect(await from(submit('/auth/sign-out'), '/auth/sign-out')).toBe(403)
    const quiet = `fetch('${hub}/auth/sign-out', { method: 'POST', mode: 'no-cors', credentials: 'include' })`
    expect(await from(quiet, '/auth/sign-out')).toBe(403)
    await stillAda(page)
  })

  it('cannot sign a browser in as another person, with a token or with its own code', async () => {
    const page = await signIn(ada)
    const token = await kit.token({ space: 'main', role: 'admin' })
    expect(await from(submit('/auth/token', { token }), '/auth/token')).toBe(403)
    await stillAda(page)

    // The attacker signs in at the provider, and passes the callback URL to another browser.
    provider.sits(mallory)
    const { at: url } = await new FollowingBrowser().go(`${kit.address}/auth/sign-in`, (next) =>
      next.startsWith(`${hub}/auth/callback`),
    )
    expect(await from(`location.href = ${JSON.stringify(url)}`, '/auth/callback')).toBe(400)
    await stillAda(page)
  })

  it('cannot switch its space, create tokens, or read who it is', async () => {
    const page = await signIn(ada)
    const before = unwrap(await kit.team.tokens('main')).length
    for (const path of ['/api/team/tokens', '/api/me/space']) {
      expect(await from(submit(path, { label: 'x' }), path)).toBe(403)
      const quiet = `fetch('${hub}${path}', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"label":"x"}' })`
      expect(await from(quiet, path)).toBe(403)
    }
    expect(unwrap(await kit.team.tokens('main'))).toHaveLength(before)
    expect(await from(`fetch('${hub}/api/me', { mode: 'no-cors', credentials: 'include' })`, '/api/me')).toBe(
      403,
    )
    await stillAda(page)
  })

  it('gets no stream and no frame of the hub', async () => {
    await signIn(ada)
    const page = await context.newPage()
    await page.goto(evilSite)
    const stream = await page.evaluate(
      (address) =>
        new Promise<string>((resolve) => {
          const socket = new WebSocket(address)
          socket.onmessage = () => resolve('open')
          socket.onclose = ({ code }) => resolve(`closed ${code}`)
        }),
      `${hub.replace('http', 'ws')}/stream`,
    )
    expect(stream).toBe('closed 1006')
    await page.setContent(`<iframe src="${hub}/auth/sign-in"></iframe><iframe src="${hub}/"></iframe>`)
    await page.waitForTimeout(500)
    const inside = await Promise.all(page.frames().map((frame) => frame.content().catch(() => '')))
    expect(inside.join('')).not.toMatch(/Inside|Sign in to Panoptes/)
  })
})
