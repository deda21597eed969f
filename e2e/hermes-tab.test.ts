import { mkdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OpenPage, openPage } from './browser.ts'
import { makeHome, ROOT, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { type Dashboard, serveDashboard } from './hermes-dashboard.ts'
import { signIn } from './page-kit.ts'

const TITLE = '<img src=x onerror=alert(1)>'

let home: TestHome
let hermes: string
let dashboard: Dashboard
let stranger: Dashboard
let daemon: Daemon
let window: OpenPage

beforeAll(async () => {
  home = await makeHome()
  hermes = join(home.folder, '.hermes')
  await mkdir(hermes)
  await writeSession(join(hermes, 'state.db'), 301)
  const plugin = join(hermes, 'plugins', 'panoptes-achievements')
  dashboard = await serveDashboard(plugin)
  stranger = await serveDashboard(plugin)
  const port = await freePort()
  await runCommand(home, ['config', 'set', 'server.port', String(port)])
  const installed = await runCommand(home, [
    'achievements',
    'install-hermes-tab',
    '--origin',
    dashboard.origin,
    '--json',
  ])
  expect(JSON.parse(installed.stdout)).toMatchObject({ ok: true, origin: dashboard.origin })
  daemon = await startDaemon({ home, args: ['--port', String(port)] })
  window = await openPage()
})
afterAll(async () => {
  await window?.close()
  await daemon?.stop()
  await dashboard?.stop()
  await stranger?.stop()
  await home?.remove()
})

// This needs a real browser and daemon, since cookies and origins decide what the tab may read. How the tab is
// installed and removed is tested in packages/cli/src/commands/achievements/hermes-tab.test.ts.
it('shows achievements of Hermes sessions in the Hermes dashboard, and gives other pages nothing', async () => {
  const { page } = window
  await page.goto(dashboard.origin)
  await page.getByText('Sign in to Panoptes in this browser').waitFor()

  await signIn(page, daemon.link)
  const requested: string[] = []
  page.on('request', (request) => {
    if (request.url().startsWith(daemon.address)) requested.push(new URL(request.url()).pathname)
  })
  const before = window.complaints.length
  await page.goto(dashboard.origin)
  await page.getByText(/^1 of 60 unlocked/).waitFor()
  await page.getByText('This Was Supposed To Be Quick · Copper').waitFor()
  await page.getByText(`Best: ${TITLE}`).waitFor()
  expect(new Set(requested)).toEqual(new Set(['/api/achievements']))
  expect(window.complaints.slice(before)).toEqual([])

  const read = (path: string) =>
    page.evaluate(
      (url) =>
        fetch(url, { credentials: 'include' }).then(
          ({ status }) => status,
          () => 'refused',
        ),
      `${daemon.address}${path}`,
    )
  const own = '/api/achievements?source=hermes&wait=0'
  expect(await read(own)).toBe(200)
  for (const path of ['/api/achievements?source=all', '/api/status', '/api/past/sessions', '/health'])
    expect(await read(path), path).toBe('refused')
  await page.goto(stranger.origin)
  await page.getByText(`This tab works at ${dashboard.origin}`).waitFor()
  expect(await read(own)).toBe('refused')
})

async function writeSession(file: string, messages: number): Promise<void> {
  const db = new DatabaseSync(file)
  db.exec(await readFile(join(ROOT, 'fixtures', 'hermes', 'schema.sql'), 'utf8'))
  db.prepare("INSERT INTO sessions (id, source, title, started_at) VALUES ('s1', 'cli', ?, 1790000000)").run(
    TITLE,
  )
  const say = db.prepare(
    "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s1', 'user', 'on', ?)",
  )
  db.exec('BEGIN')
  for (let at = 1; at <= messages; at += 1) say.run(1_790_000_000 + at)
  db.exec('COMMIT')
  db.close()
}

/** The tab is written before Panoptes runs, so its port must be known by then. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}
