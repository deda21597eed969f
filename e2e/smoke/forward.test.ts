import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ownDatabase } from '@panoptes/engine/testing/database'
import type { Agent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { makeHome, runCommand } from '../command.ts'
import { startDaemon } from '../daemon.ts'
import { post, prompt } from '../page-kit.ts'

const SECRET = `ghp_${'a1B2'.repeat(9)}`

describe('a computer that forwards to a hub on PostgreSQL', () => {
  it('sends every event once, without secrets, and the hub shows its agents and refuses requests without a token', async () => {
    const database = await ownDatabase()
    const [hubHome, home] = await Promise.all([makeHome(), makeHome()])
    try {
      const hub = await startDaemon({ home: hubHome, args: ['--ledger', database.url] })
      const options = ['--label', 'smoke', '--scope', 'ingest', '--ledger', database.url, '--json']
      const made = await runCommand(hubHome, ['team', 'tokens', 'create', ...options])
      const { token } = JSON.parse(made.stdout) as { readonly token: string }
      await mkdir(join(home.panoptes, 'tokens'), { recursive: true, mode: 0o700 })
      await writeFile(join(home.panoptes, 'config.yaml'), JSON.stringify({ forward: { to: hub.address } }))
      await writeFile(join(home.panoptes, 'tokens', 'forward'), `${token}\n`, { mode: 0o600 })
      const computer = await startDaemon({ home })
      try {
        const events = Array.from({ length: 300 }, (_, n) => ({
          ...prompt(n === 7 ? `use ${SECRET} here` : `step ${n}`),
          key: `k${n}`,
          source: 'claude-code',
        }))
        await post(computer, events)
        const keys = async () => {
          const text = await (await hub.request('/api/export')).text()
          const lines = text.split('\n').filter((line) => line !== '')
          return lines
            .map((line) => (JSON.parse(line) as { key: string }).key)
            .filter((key) => /^k\d/.test(key))
        }
        await expect.poll(async () => (await keys()).length, { timeout: 30_000, interval: 100 }).toBe(300)
        expect(await keys()).toEqual(events.map(({ key }) => key))
        expect(await (await hub.request('/api/export')).text()).not.toContain(SECRET)
        const agents = (await (await hub.request('/api/agents')).json()) as readonly Agent[]
        expect(agents).toMatchObject([{ id: 'main', session_id: 's1', state: 'working' }])
        expect((await fetch(`${hub.address}/api/agents`)).status).toBe(401)
        const asIngest = { headers: { authorization: `Bearer ${token}` } }
        expect((await fetch(`${hub.address}/api/agents`, asIngest)).status).toBe(403)
      } finally {
        await Promise.all([computer.stop(), hub.stop()])
      }
    } finally {
      await Promise.all([hubHome.remove(), home.remove()])
      await database.drop()
    }
  })
})
