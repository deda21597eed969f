import { type ScriptedAgent, startScriptedAgent } from '@panoptes/engine/testing/scripted-agent'
import { type ScriptedHermes, startScriptedHermes } from '@panoptes/engine/testing/scripted-hermes'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import type { Agent } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lastConversation, writeChatHome } from './chat-command-kit.ts'
import { useHome } from './command-kit.ts'
import { type Daemon, startDaemon } from './daemon.ts'

const { home, run, stopAfterwards } = useHome()
let models: ScriptedServer
let hermes: ScriptedHermes
let agent: ScriptedAgent
let daemon: Daemon
beforeEach(async () => {
  models = await startScripted()
  hermes = await startScriptedHermes('session')
  agent = await startScriptedAgent()
  const env = Object.fromEntries(
    Object.entries(agent.env).filter(([name]) => name.startsWith('SCRIPT_')),
  ) as Record<string, string>
  await writeChatHome(home(), models.url, {
    runtimes: {
      default: 'jarvis',
      jarvis: { provider: 'local', model: 'small' },
      hermes: { url: hermes.url, api_key_env: 'TEST_HERMES_KEY' },
      acp: { mine: { command: agent.command, env } },
    },
  })
  daemon = await startDaemon({ home: home(), env: { TEST_HERMES_KEY: hermes.key } })
  stopAfterwards(daemon)
})
afterEach(() => Promise.all([models.close(), hermes.close(), agent.close()]))

const chat = (...args: string[]) => run('chat', ...args)

describe('a conversation with several runtimes', () => {
  it('gives each runtime the messages that it missed, and continues with its own state', async () => {
    models.script('small', { text: 'jarvis: one' }, { text: 'jarvis: four' })
    hermes.play({ say: 'hermes: two' }, { say: 'hermes: five' })
    agent.play({ say: 'mine: three' })
    expect(await chat('first')).toMatchObject({ code: 0, stdout: 'jarvis: one\n' })
    expect(await chat('--resume', 'last', '-r', 'hermes', 'second')).toMatchObject({
      stdout: 'hermes: two\n',
    })
    expect(await chat('--resume', 'last', '-r', 'mine', 'third')).toMatchObject({ stdout: 'mine: three\n' })
    const between = await lastConversation(daemon)
    expect(Object.keys(between.agent_state.runtimes).sort()).toEqual(['acp:mine', 'hermes', 'jarvis'])
    expect(await chat('--resume', 'last', '-r', 'jarvis', 'fourth')).toMatchObject({
      stdout: 'jarvis: four\n',
    })
    expect(await chat('--resume', 'last', '-r', 'hermes', 'fifth')).toMatchObject({
      stdout: 'hermes: five\n',
    })

    const { messages, agent_state } = await lastConversation(daemon)
    expect(messages.map(({ role, content, runtime }) => (role === 'user' ? content : runtime))).toEqual([
      'first',
      'jarvis',
      'second',
      'hermes',
      'third',
      'acp:mine',
      'fourth',
      'jarvis',
      'fifth',
      'hermes',
    ])
    expect(agent_state.runtimes['acp:mine']).toEqual(between.agent_state.runtimes['acp:mine'])
    expect(agent_state.runtimes.hermes).toMatchObject({
      session_id: between.agent_state.runtimes.hermes?.session_id,
    })
    // Each runtime gets the answers of the others; Hermes gets only those that are new to it.
    expect(agent.requestTexts().at(-1)).toContain('hermes: two')
    expect(JSON.stringify(models.requests.at(-1)?.body.messages)).toContain('mine: three')
    expect(hermes.requestTexts().at(-1)).toContain('mine: three')
    expect(hermes.requestTexts().at(-1)).not.toContain('hermes: two')
  })

  it('appears in Live under the agent that answers, whose process ends with Panoptes', async () => {
    agent.play({ say: 'words of mine', think: 'let me see' })
    expect(await chat('-r', 'mine', 'go')).toMatchObject({ code: 0, stdout: 'words of mine\n' })
    const { id } = await lastConversation(daemon)
    const shown = async () => (await (await daemon.request(`/api/agents?session=${id}`)).json()) as Agent[]
    await expect
      .poll(shown)
      .toMatchObject([{ source: 'panoptes', id: 'main', subagent_type: 'acp:mine', state: 'done' }])
    expect(agent.processes()).toBe(1)
    await daemon.stop()
    await expect.poll(() => agent.processes()).toBe(0)
  })

  it('continues with another runtime after a failure, and suggests what to do', async () => {
    hermes.play({ refuse: 401 })
    const refused = await chat('-r', 'hermes', 'first')
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain('Check its API key, or sign in to it.')
    models.script('small', { text: 'I am here' })
    expect(await chat('--resume', 'last', '-r', 'jarvis', 'second')).toMatchObject({ stdout: 'I am here\n' })
    const { messages, agent_state } = await lastConversation(daemon)
    expect(messages.map(({ status }) => status)).toEqual(['complete', 'failed', 'complete', 'complete'])
    expect(agent_state.runtimes).not.toHaveProperty('hermes')
  })
})
