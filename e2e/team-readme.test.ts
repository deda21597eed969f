import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { collect, exitOf, FROM_SOURCES, ROOT } from './command.ts'
import { freePort } from './setup/free-port.ts'
import { usePostgres } from './setup/shared-servers.ts'

/** Each test starts a dozen processes. */
vi.setConfig({ testTimeout: 180_000 })

const postgres = usePostgres()
const server = new Client({ connectionString: postgres })
let folder = ''
let name = ''
beforeAll(() => server.connect())
afterAll(() => server.end())
beforeEach(async () => {
  name = `readme_${randomUUID().replaceAll('-', '')}`
  await server.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`)
  folder = await mkdtemp(join(tmpdir(), 'panoptes-readme-'))
})
afterEach(async () => {
  await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** The shell commands of a page, block by block. */
async function shellOf(page: string): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, page), 'utf8')
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
}

/** A computer with a home of its own, and `panoptes` on the path. */
const computer = (home: string) => ({
  HOME: join(folder, home),
  PANOPTES_HOME: join(folder, home, '.panoptes'),
  TMPDIR: tmpdir(),
  LANG: 'C.UTF-8',
  NODE_COMPILE_CACHE: join(ROOT, '.cache', 'compiled'),
  PATH: `${folder}:${process.env.PATH}`,
})

async function shell(script: string, env: NodeJS.ProcessEnv) {
  const child = spawn('sh', ['-e', '-c', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr] = [collect(child, 'stdout'), collect(child, 'stderr')]
  const code = await exitOf(child)
  return { code, stdout: stdout(), stderr: stderr() }
}

describe('docs/team.md', () => {
  it('leads from nothing to a hub with a person, a token and a computer that forwards, exactly as written', async () => {
    const [onHub = '', onComputer = ''] = await shellOf('docs/team.md')
    const command = process.env.PANOPTES_TEST_COMMAND ?? FROM_SOURCES
    await writeFile(join(folder, 'panoptes'), `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`, {
      mode: 0o755,
    })
    const url = Object.assign(new URL(postgres), { pathname: `/${name}` }).href
    const port = String(await freePort())
    const own = String(await freePort())
    // Only the database address and the ports are replaced.
    const here = (script: string) =>
      script.replace('postgres://panoptes@localhost/panoptes', url).replaceAll('8201', port)
    const hub = computer('hub')
    const laptop = computer('laptop')
    try {
      const made = await shell(
        here(onHub)
          .replace('panoptes up', `panoptes up --port ${port} --no-open`)
          .replace('panoptes doctor --team', 'panoptes doctor --team || true'),
        hub,
      )
      expect(made.code, made.stdout + made.stderr).toBe(0)
      expect(made.stdout).toMatch(/pan_\w+/)
      const [token = ''] = /pan_[\w-]+/.exec(made.stdout) ?? []
      const forwarding = await shell(here(onComputer).replace(' --detach', ` --detach --port ${own}`), laptop)
      expect(forwarding.code, forwarding.stdout + forwarding.stderr).toBe(0)
      const ingest = (await readFile(join(laptop.PANOPTES_HOME, 'tokens', 'ingest'), 'utf8')).trim()
      const event = { event: 'tool_use', session_id: 'hello', tool: 'Bash' }
      await fetch(`http://127.0.0.1:${own}/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ingest}` },
        body: JSON.stringify(event),
      })
      await expect
        .poll(async () => {
          const answer = await fetch(`http://127.0.0.1:${port}/api/events?limit=50`, {
            headers: { authorization: `Bearer ${token}` },
          })
          return answer.text()
        })
        .toContain('"session_id":"hello"')
      const looked = await shell('panoptes doctor --team --json', { ...hub, PANOPTES_LEDGER: url })
      const { checks } = JSON.parse(looked.stdout) as {
        checks: { id: string; state: string; detail: string }[]
      }
      const found = new Map(checks.map((check) => [check.id, check]))
      expect(found.get('hubs')).toMatchObject({ state: 'ok' })
      expect(found.get('team')?.detail).toContain('2 people')
      // The test server is configured without durability, which the check reports.
      expect(checks.filter(({ id, state }) => state === 'failed' && id !== 'settings')).toEqual([])
    } finally {
      await shell('panoptes stop', laptop)
      await shell('panoptes stop', hub)
    }
  })
})
