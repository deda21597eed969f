import type { PastSession, TemplatesReply } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../command.ts'
import type { Daemon } from '../daemon.ts'
import { runClaude } from './claude.ts'
import { bash } from './script.ts'
import { useStage } from './stage.ts'
import { CLAUDE_CODE, type ClientName } from './versions.ts'

const { home, start, model, play } = useStage()

const templates = async (...args: string[]) => {
  const { code, stdout, stderr } = await runCommand(home(), ['templates', ...args])
  expect(code, `${stdout}${stderr}`).toBe(0)
}

/** Runs a session and returns what its model got. */
async function told(client: ClientName): Promise<readonly string[]> {
  const server = await model({})
  const { code, output } = await runClaude({ client, home: home(), model: server.address })
  expect(code, output).toBe(0)
  return server.told
}

const uses = async (daemon: Daemon): Promise<readonly number[]> => {
  const reply = (await (await daemon.request('/api/templates')).json()) as TemplatesReply
  return reply.templates.map(({ usage_count }) => usage_count)
}

describe.each(Object.entries(CLAUDE_CODE) as [ClientName, string][])(
  'Claude Code, %s version (%s)',
  (client) => {
    it('starts a session with the successful calls of an earlier session', async () => {
      const daemon = await start()
      const { session } = await play(client, {
        main: [{ calls: [bash('echo first-thing-that-worked')] }, { text: 'ok' }],
      })
      const known = async () => {
        const reply = await daemon.request('/api/past/sessions')
        return ((await reply.json()) as readonly PastSession[]).map(({ id }) => id)
      }
      await expect.poll(known).toEqual([session])
      await templates('create', session, '--name', 'began well')
      await templates('install', 'claude-code')
      const [first = ''] = await told(client)
      expect(first).toContain('Session template: began well (terminal)')
      expect(first).toContain('echo first-thing-that-worked')
      expect(await uses(daemon)).toEqual([1])
    })
  },
)

it('starts a session without a template after Panoptes was killed', async () => {
  const daemon = await start()
  await templates('install', 'claude-code')
  await daemon.kill()
  const [first = ''] = await told('newest')
  expect(first).not.toContain('Session template')
})
