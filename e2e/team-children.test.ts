import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openTeam, type Team } from '@panoptes/engine/store'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHome, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { usePostgres } from './setup/shared-servers.ts'

usePostgres()

let database: OwnDatabase
let home: TestHome
let hub: Daemon
let team: Team
let far = ''

const file = (name: string) => join(home.folder, name)

beforeAll(async () => {
  ;[database, home] = await Promise.all([ownDatabase(), makeHome()])
  const programs = file('programs')
  await mkdir(programs)
  for (const name of ['hermes', 'gemini', 'claude', 'codex-acp', 'opencode', 'mine']) {
    await writeFile(join(programs, name), `#!/bin/sh\nenv > '${file(`env-of-${name}`)}'\nexit 3\n`)
    await chmod(join(programs, name), 0o755)
  }
  const config = {
    runtimes: { default: 'acp:mine', acp: { mine: { command: ['mine'] } } },
    live: { notify_command: `env > '${file('env-of-notify')}'` },
    team: {
      sign_in: { issuer: 'http://127.0.0.1:9', client_id: 'panoptes', client_secret_env: 'OUR_OIDC_SECRET' },
    },
  }
  await mkdir(home.panoptes, { recursive: true, mode: 0o700 })
  await writeFile(join(home.panoptes, 'config.yaml'), JSON.stringify(config))
  const made = await openTeam({ url: database.url })
  if (!made.ok) throw new Error(made.message)
  team = made.value
  await team.createSpace('blue')
  const token = await team.createToken({ label: 'far', space: 'blue', scope: 'full', role: 'admin' })
  if (!token.ok) throw new Error(token.message)
  far = token.value.token
  hub = await startDaemon({
    home,
    env: {
      PATH: `${programs}:${process.env.PATH}`,
      PANOPTES_LEDGER: database.url,
      PANOPTES_FORWARD_TOKEN: 'a-token-for-tests',
      OUR_OIDC_SECRET: 'a-secret-for-tests',
      KEPT: 'yes',
    },
  })
})
afterAll(async () => {
  await hub?.stop()
  await team?.close()
  await database?.drop()
  await home?.remove()
})

const post = (path: string, body: object) =>
  hub.request(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

const idsIn = async (answer: Response) =>
  ((await answer.json()) as { runtimes: { id: string }[] }).runtimes.map(({ id }) => id)

/** The environment variables that the program got, once it ran. */
async function variablesOf(name: string): Promise<readonly string[]> {
  const text = () => readFile(file(`env-of-${name}`), 'utf8').catch(() => '')
  await expect.poll(text).toContain('KEPT=yes')
  return (await text()).split('\n').map((line) => line.split('=')[0] ?? '')
}

const SECRETS = ['PANOPTES_LEDGER', 'PANOPTES_BUS', 'PANOPTES_FORWARD_TOKEN', 'OUR_OIDC_SECRET']

describe('child processes of a hub', () => {
  it('include only agents that its config names, and only in its own space', async () => {
    expect(await idsIn(await hub.request('/api/runtimes'))).toEqual(['jarvis', 'acp:mine'])
    const there = () => fetch(`${hub.address}/api/runtimes`, { headers: { authorization: `Bearer ${far}` } })
    await expect.poll(async () => (await there()).status).toBe(200)
    expect(await idsIn(await there())).toEqual(['jarvis'])
  })

  it('do not include database and sign-in credentials in the environment of an agent', async () => {
    const { id } = (await (await post('/api/conversations', {})).json()) as { id: string }
    await (await post(`/api/conversations/${id}/chat`, { message: 'hello' })).text()
    const names = await variablesOf('mine')
    expect(names).toContain('PATH')
    expect(names.filter((name) => SECRETS.includes(name))).toEqual([])
  })

  it('do not include those credentials in the environment of a notification command', async () => {
    const event = { kind: 'agent_done', source: 'custom', session_id: 's', id: 'a', outcome: 'fail' }
    expect((await post('/events', { ...event, ts: Date.now() })).ok).toBe(true)
    const names = await variablesOf('notify')
    expect(names).toContain('PANOPTES_REASON')
    expect(names.filter((name) => SECRETS.includes(name))).toEqual([])
  })
})
