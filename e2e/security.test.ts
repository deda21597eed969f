import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Daemon, startDaemon } from './daemon.ts'
import { requireChromium } from './setup/chromium.ts'

/** Names of other sites that resolve to this machine, as a hostile DNS server would answer. */
const FOREIGN = ['rebind.test', 'evil.test']

let daemon: Daemon
let evil: Server
/** The cookies that the other site received, by path: cookies do not distinguish ports. */
const cookies = new Map<string, string>()
let browser: Browser
let signedIn: BrowserContext

beforeAll(async () => {
  daemon = await startDaemon()
  evil = createServer((request, response) => {
    cookies.set(request.url ?? '', request.headers.cookie ?? '')
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>another site</title>')
  })
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
  const rules = FOREIGN.map((name) => `MAP ${name} 127.0.0.1`).join(', ')
  const { args, ...installed } = await requireChromium()
  browser = await chromium.launch({
    ...installed,
    headless: true,
    timeout: 60_000,
    args: [...args, `--host-resolver-rules=${rules}`],
  })
  signedIn = await browser.newContext()
  const page = await signedIn.newPage()
  await page.goto(daemon.link)
  expect(new URL(page.url()).search).toBe('')
  await page.close()
})

afterAll(async () => {
  await browser?.close()
  evil?.closeAllConnections()
  evil?.close()
  await daemon?.stop()
})

const evilPort = () => (evil.address() as AddressInfo).port

async function visit(url: string): Promise<Page> {
  const page = await signedIn.newPage()
  await page.goto(url)
  return page
}

/** The outcome of opening a WebSocket from this page. */
const tryStream = (page: Page, url: string): Promise<string> =>
  page.evaluate(
    (address) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(address)
        socket.onmessage = () => resolve('open')
        socket.onclose = (event) => resolve(`closed ${event.code}`)
      }),
    url,
  )

/** The log shows answers that the browser hides from the page. */
async function refusals(method: string, path: string): Promise<number> {
  const log = await readFile(join(daemon.home.panoptes, 'panoptes.log'), 'utf8')
  return log.split('\n').filter((line) => line.includes(`"method":"${method}","path":"${path}","status":403`))
    .length
}

async function expectRefusal(method: string, path: string, act: () => Promise<unknown>): Promise<void> {
  const before = await refusals(method, path)
  await act()
  await expect.poll(() => refusals(method, path)).toBe(before + 1)
}

/** A request that any site may send without preflight, with the browser's cookies. */
const postFrom = (session: string): string => {
  const body = JSON.stringify(JSON.stringify({ event: 'prompt', session_id: session }))
  return `void fetch('${daemon.address}/events', { method: 'POST', mode: 'no-cors', credentials: 'include', body: ${body} }).catch(() => 0)`
}

async function eventsOf(session: string): Promise<number> {
  const answer = await daemon.request(`/api/events?session=${session}`)
  return ((await answer.json()) as { events: unknown[] }).events.length
}

const socketAddress = () => `${daemon.address.replace('http', 'ws')}/stream`

describe('a signed-in browser', () => {
  it("reaches the stream and the API from Panoptes's own page", async () => {
    const page = await visit(daemon.address)
    expect(await tryStream(page, socketAddress())).toBe('open')
    expect(await page.evaluate(() => fetch('/api/tokens').then((answer) => answer.status))).toBe(200)
    await page.close()
  })

  it('hides its cookie from scripts', async () => {
    const page = await visit(daemon.address)
    const cookies = await signedIn.cookies(daemon.address)
    expect(cookies).toMatchObject([{ name: `panoptes_${daemon.port}`, httpOnly: true, sameSite: 'Strict' }])
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.close()
  })
})

describe('a link on another site', () => {
  it('opens the page of Panoptes, though the browser withholds its cookie at first', async () => {
    const page = await visit(`http://evil.test:${evilPort()}/`)
    // The page unloads with the script that leaves it, so the result of the script is not awaited.
    page.evaluate(`location.href = '${daemon.address}/'`).catch(() => undefined)
    await page.getByRole('navigation').first().waitFor()
    expect(new URL(page.url()).origin).toBe(daemon.address)
    await page.close()
  })
})

describe("another site's name that resolves to this machine", () => {
  it('gets 421 for every request', async () => {
    const page = await signedIn.newPage()
    const answer = await page.goto(`http://rebind.test:${daemon.port}/`)
    expect(answer?.status()).toBe(421)
    const statuses = await page.evaluate(async () => {
      const ask = (path: string, init?: RequestInit) => fetch(path, init).then((reply) => reply.status)
      return [
        await ask('/health'),
        await ask('/api/status'),
        await ask('/events', { method: 'POST', body: '{}' }),
      ]
    })
    expect(statuses).toEqual([421, 421, 421])
    expect(await tryStream(page, `ws://rebind.test:${daemon.port}/stream`)).toBe('closed 1006')
    await page.close()
  })

  it('is not signed in by the link either', async () => {
    const page = await signedIn.newPage()
    const { link } = (await (await daemon.request('/api/link', { method: 'POST' })).json()) as {
      link: string
    }
    const answer = await page.goto(link.replace('127.0.0.1', 'rebind.test'))
    expect(answer?.status()).toBe(421)
    expect(await signedIn.cookies(`http://rebind.test:${daemon.port}`)).toEqual([])
    await page.close()
  })
})

describe.each([
  { name: 'another site', host: 'evil.test', sameSite: false },
  { name: 'another port of this machine', host: '127.0.0.1', sameSite: true },
])('a page of $name', ({ name, host, sameSite }) => {
  const open = () => visit(`http://${host}:${evilPort()}/`)

  it(`makes the browser ${sameSite ? 'send the cookie along' : 'withhold the cookie'}`, async () => {
    const page = await open()
    const path = `/told-by-${host}`
    await page.evaluate(
      (url) => fetch(url, { mode: 'no-cors', credentials: 'include' }).then(() => undefined),
      `http://127.0.0.1:${evilPort()}${path}`,
    )
    expect(cookies.get(path)?.includes(`panoptes_${daemon.port}=`)).toBe(sameSite)
    await page.close()
  })

  it('gets no stream, though the browser is signed in', async () => {
    const page = await open()
    expect(await tryStream(page, socketAddress())).toBe('closed 1006')
    await page.close()
  })

  it('cannot send events', async () => {
    const session = `forged-${name.replaceAll(' ', '-')}`
    const page = await open()
    await expectRefusal('POST', '/events', () => page.evaluate(postFrom(session)))
    expect(await eventsOf(session)).toBe(0)
    await page.close()
  })

  it('cannot read the API, as data or as an image', async () => {
    const page = await open()
    const read = await page.evaluate(
      (url) => fetch(url, { credentials: 'include' }).then(String, () => 'refused'),
      `${daemon.address}/api/export`,
    )
    expect(read).toBe('refused')
    const image = `document.body.append(Object.assign(new Image(), { src: '${daemon.address}/api/status' }))`
    await expectRefusal('GET', '/api/status', () => page.evaluate(`void ${image}`))
    await page.close()
  })

  it('cannot show the page of Panoptes in a frame', async () => {
    const page = await open()
    await page.evaluate(`new Promise((resolve) => {
      const frame = Object.assign(document.createElement('iframe'), { src: '${daemon.address}', onload: () => resolve() })
      document.body.append(frame)
    })`)
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/)
    await page.close()
  })

  it('cannot hide its origin in a sandbox', async () => {
    const page = await open()
    await expectRefusal('POST', '/events', () =>
      page.evaluate(
        `{
          const frame = document.createElement('iframe')
          frame.setAttribute('sandbox', 'allow-scripts')
          frame.srcdoc = ${JSON.stringify(`<script>${postFrom('sandboxed')}</`)} + 'script>'
          document.body.append(frame)
        }`,
      ),
    )
    expect(await eventsOf('sandboxed')).toBe(0)
    await page.close()
  })
})

describe('refused requests', () => {
  it('are logged without a token', async () => {
    const log = await readFile(join(daemon.home.panoptes, 'panoptes.log'), 'utf8')
    expect(log).toContain('"status":421')
    expect(log).toContain('"status":403')
    expect(log).not.toContain(await daemon.token('full'))
    expect(log).not.toContain('link=')
  })
})
