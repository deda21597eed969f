import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EventsPage, StoredEvent } from '@panoptes/schema'
import { describe, expect, inject, it } from 'vitest'
import { runCommand } from '../command.ts'
import type { Daemon } from '../daemon.ts'
import { bash, mark } from './script.ts'
import { useStage } from './stage.ts'
import { agentsOf } from './tree.ts'
import { CLAUDE_CODE, type ClientName } from './versions.ts'

const { home, start, connect, play } = useStage()

/** Installs a user hook that runs a client on the first prompt, but not on the prompts of that client. */
async function ownHook(client: ClientName): Promise<void> {
  const folder = join(home().folder, '.claude')
  const script = join(folder, 'own-hook.sh')
  const program = `#!/bin/sh
cat >/dev/null
mkdir "$HOME/asked" 2>/dev/null || exit 0
'${inject('clients')[client]}' --print '${mark('helper')} go' </dev/null >/dev/null 2>&1
exit 0
`
  await mkdir(folder, { recursive: true })
  await writeFile(script, program, { mode: 0o700 })
  const hooks = [{ hooks: [{ type: 'command', command: script, timeout: 60 }] }]
  await writeFile(join(folder, 'settings.json'), JSON.stringify({ hooks: { UserPromptSubmit: hooks } }))
}

async function prompts(daemon: Daemon): Promise<ReadonlyMap<string, StoredEvent>> {
  const answer = await daemon.request('/api/events?kind=prompt')
  const { events } = (await answer.json()) as EventsPage
  return new Map(
    events.map((event) => [/\[\[(\w+)\]\]/.exec(String(event.prompt_preview))?.[1] ?? '', event]),
  )
}

describe.each(Object.entries(CLAUDE_CODE) as [ClientName, string][])(
  'a client started by a hook, with Claude Code %s (%s)',
  (client) => {
    it.each([
      ['the command form', []],
      ['the http form', ['--http']],
    ] as const)('is stored but hidden, unlike one that a tool starts: %s', async (_, flags) => {
      const daemon = await start()
      await ownHook(client)
      await connect(...flags)
      const { code, session, output } = await play(client, {
        main: [
          { calls: [bash(`'${inject('clients')[client]}' -p '${mark('called')} go' </dev/null`)] },
          { text: 'ok' },
        ],
        helper: [{ calls: [bash('echo helping')] }, { text: 'ok' }],
        called: [{ text: 'ok' }],
      })
      expect(code, output).toBe(0)
      await expect
        .poll(async () => [...(await prompts(daemon)).keys()].sort())
        .toEqual(['called', 'helper', 'main'])
      const told = await prompts(daemon)
      const sessionOf = (agent: string) => told.get(agent)?.session_id ?? ''
      expect(sessionOf('main')).toBe(session)
      const shown = async () =>
        (await agentsOf(daemon)).map(({ session_id, id, state }) => [session_id, id, state])
      await expect
        .poll(async () => (await shown()).sort())
        .toEqual(
          [
            [session, 'main', 'done'],
            [sessionOf('called'), 'main', 'done'],
          ].sort(),
        )
      const kept = await daemon.request(`/api/events?session=${sessionOf('helper')}`)
      const kinds = ((await kept.json()) as EventsPage).events.map(({ event }) => event)
      expect(kinds).toEqual(expect.arrayContaining(['session_start', 'prompt', 'agent_done', 'session_end']))
      const listed = await runCommand(home(), ['agents', '--json'])
      expect(listed.stdout).toContain(session)
      expect(listed.stdout).not.toContain(sessionOf('helper'))
    })
  },
)
