import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHome, resolvePaths, tokenFile } from '@panoptes/engine/home'
import { config, type HealthCheck, type PastSession, type TemplatesReply } from '@panoptes/schema'
import { expect, it, onTestFinished } from 'vitest'
import { connect } from '../daemon/client.ts'
import { startPanoptes } from '../daemon/start.ts'
import { createDemoTemplate, demoEnvironment, writeDemoSessions } from './demo-sessions.ts'

it('serves the sessions, achievements and template of the demo home, and none of the user', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'panoptes-left-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  const own = join(folder, 'claude', 'projects', '-x')
  await mkdir(own, { recursive: true })
  const row = { type: 'user', uuid: 'u', cwd: '/x', timestamp: new Date().toISOString() }
  const text = JSON.stringify({ ...row, message: { role: 'user', content: 'my own' } })
  await writeFile(join(own, 'mine.jsonl'), `${text}\n`)

  const paths = resolvePaths({ PANOPTES_HOME: join(folder, 'home') })
  await createHome(paths)
  const env = demoEnvironment({ HOME: folder, CLAUDE_CONFIG_DIR: join(folder, 'claude') }, paths.home)
  await writeDemoSessions(env, Date.now())
  const panoptes = await startPanoptes({
    paths,
    env,
    config: config.parse({ log: { level: 'silent' } }),
    host: '127.0.0.1',
    port: 0,
    allowRemote: false,
    page: Promise.resolve({ folder: null, problem: null }),
    onlyPosted: true,
    onStop: () => undefined,
  })
  onTestFinished(() => panoptes.close())
  const token = (await readFile(tokenFile(paths, 'full'), 'utf8')).trim()
  const ask = (path: string) =>
    fetch(`${panoptes.server.address}${path}`, { headers: { authorization: `Bearer ${token}` } })
  const listed = async () => (await (await ask('/api/past/sessions')).json()) as readonly PastSession[]
  await expect.poll(async () => (await listed()).map(({ id }) => id)).toEqual(['demo-0002', 'demo-0001'])
  const [, first] = await listed()
  expect(first).toMatchObject({ project: 'notes', tool_calls: 4, errors: 1 })
  expect(first?.spent.cost_micro_usd).toBeGreaterThan(0)
  expect((await ask('/api/achievements')).status).toBe(200)
  // Installing hooks would change the agents of the user and show nothing in a demo.
  const { checks } = (await (await ask('/api/health')).json()) as { readonly checks: readonly HealthCheck[] }
  expect(checks.length).toBeGreaterThan(5)
  expect(checks.filter(({ id }) => id === 'hooks')).toEqual([])

  const client = await connect(paths)
  if (!client) throw new Error('it does not run')
  await createDemoTemplate(client)
  const { templates } = (await (await ask('/api/templates')).json()) as TemplatesReply
  expect(templates).toMatchObject([
    { name: 'notes_parser', examples: 3, usage_count: 1, notes: { project: 'notes' } },
  ])
})
