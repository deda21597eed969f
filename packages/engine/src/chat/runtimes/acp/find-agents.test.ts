import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAcpAdapter } from './adapter.ts'
import { acpAgents } from './find-agents.ts'

describe('ACP agents on this computer', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'panoptes-found-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const program = async (name: string, mode = 0o755) => {
    await writeFile(join(folder, name), '#!/bin/sh\n')
    await chmod(join(folder, name), mode)
  }
  const found = () => acpAgents({ configured: {}, env: { PATH: `/no/such/folder:${folder}` } })
  const healthOf = (options: Parameters<typeof createAcpAdapter>[0]) => createAcpAdapter(options).health()

  it('are none if none is installed', async () => {
    await program('gemini', 0o644)
    expect(found()).toEqual([])
  })

  it('are offered with their start command if found', async () => {
    for (const name of ['claude-agent-acp', 'codex-acp', 'gemini', 'opencode']) await program(name)
    expect(found().map(({ id, command }) => [id, command.join(' ')])).toEqual([
      ['acp:claude', 'claude-agent-acp'],
      ['acp:codex', 'codex-acp'],
      ['acp:gemini', 'gemini --acp'],
      ['acp:opencode', 'opencode acp'],
    ])
    for (const options of found()) expect(await healthOf(options)).toMatchObject({ state: 'untried' })
  })

  it('are none if detection is off', async () => {
    await program('opencode')
    expect(acpAgents({ configured: {}, env: { PATH: folder }, find: false })).toEqual([])
  })

  it('are offered with a hint if only the agent itself is installed', async () => {
    await program('claude')
    const [claude, ...others] = found()
    expect(others).toEqual([])
    if (claude === undefined) throw new Error('Claude Code is not offered')
    expect(await healthOf(claude)).toMatchObject({
      state: 'not_installed',
      detail:
        'Claude Code is not installed: claude-agent-acp was not found. Run `npm install -g @agentclientprotocol/claude-agent-acp`, or fix its command in config.yaml.',
    })
  })

  it('are only those of the config, if it names any, each with its own variables', async () => {
    await program('opencode')
    const env = { PATH: folder, HOME: '/home/of-all', KEY: 'of all' }
    const configured = {
      claude: { command: ['npx', 'claude-agent-acp'], env: { KEY: 'its own' } },
      mine: { command: ['./agent'], env: {}, cwd: folder },
    }
    expect(acpAgents({ configured, env })).toMatchObject([
      {
        id: 'acp:claude',
        title: 'Claude Code',
        command: ['npx', 'claude-agent-acp'],
        env: { PATH: folder, HOME: '/home/of-all', KEY: 'its own' },
        advice: { signIn: 'claude /login' },
      },
      { id: 'acp:mine', title: 'mine', command: ['./agent'], env, cwd: folder },
    ])
  })

  it('work in a folder below the home directory if configured', () => {
    const cwdOf = (cwd: string) =>
      acpAgents({ configured: { mine: { command: ['agent'], env: {}, cwd } }, env: { HOME: '/home/me' } })[0]
        ?.cwd
    expect(['~', '~/work', 'work', '/srv/work', '~work'].map(cwdOf)).toEqual([
      '/home/me',
      '/home/me/work',
      '/home/me/work',
      '/srv/work',
      '/home/me/~work',
    ])
  })

  it('can be an executable next to their working folder', async () => {
    await program('agent')
    const options = { id: 'acp:mine', title: 'Mine', command: ['./agent'], env: {} } as const
    expect(await healthOf({ ...options, cwd: folder })).toMatchObject({ state: 'untried' })
    expect(await healthOf({ ...options, cwd: tmpdir() })).toMatchObject({ state: 'not_installed' })
  })
})
