import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { lastConversation, writeChatHome } from './chat-command-kit.ts'
import { FROM_SOURCES, storeOf } from './command.ts'
import { useHome } from './command-kit.ts'
import type { Daemon } from './daemon.ts'
import { post } from './page-kit.ts'

const { home, run, start } = useHome()
let models: ScriptedServer
let daemon: Daemon
let session = ''
beforeEach(async () => {
  models = await startScripted()
  models.script('small', { text: `the lock is in run.ts ${'and so on '.repeat(800)}` })
  await writeChatHome(home(), models.url)
  daemon = await start()
  for (const message of ['Where is the lock?', 'And the key?']) await run('chat', message)
  session = (await lastConversation(daemon)).id
})
afterEach(() => models.close())

/** An agent that has started `panoptes mcp`. */
async function agent() {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [process.env.PANOPTES_TEST_COMMAND ?? FROM_SOURCES, 'mcp'],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home().folder,
      PANOPTES_HOME: home().panoptes,
      ...storeOf(home()),
    },
    stderr: 'pipe',
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const call = async (name: string, input: Readonly<Record<string, unknown>> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: input })
    const [block] = content as readonly { readonly type: string; readonly text: string }[]
    return { isError: isError === true, text: block?.text ?? '' }
  }
  const asked = async (name: string, input?: Readonly<Record<string, unknown>>) => {
    const { isError, text } = await call(name, input)
    expect(isError, text).toBe(false)
    return JSON.parse(text)
  }
  return { client, call, asked }
}

describe('panoptes mcp', () => {
  it('offers what Panoptes knows to a client, as read-only tools', async () => {
    const { client, asked } = await agent()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'search_sessions',
      'read_session',
      'live_agents',
      'spending',
      'templates',
    ])
    for (const { annotations, inputSchema, description } of tools) {
      expect(annotations?.readOnlyHint).toBe(true)
      expect(inputSchema.type).toBe('object')
      expect(description).not.toBe('')
    }
    const { found } = await asked('search_sessions', { text: 'key', limit: 1 })
    expect(found).toMatchObject([
      { source: 'panoptes', session_id: session, role: 'user', text: 'And the key?' },
    ])
    const page = await asked('read_session', { source: 'panoptes', session_id: session, limit: 1 })
    expect(page).toMatchObject({
      title: 'And the key?',
      messages: [{ role: 'user', text: 'And the key?' }],
      next: 1,
    })
    const rest = await asked('read_session', { source: 'panoptes', session_id: session, from: page.next })
    expect(rest).toMatchObject({ messages: [{ role: 'assistant' }], next: null })
    expect(rest.messages[0].text.length).toBeLessThanOrEqual(4_000)
    await post(daemon, [
      { event: 'prompt', source: 'codex', session_id: 's1', agent_id: 'main', prompt_preview: 'go' },
    ])
    await expect
      .poll(async () => (await asked('live_agents')).agents)
      .toMatchObject([{ source: 'codex', session_id: 's1', agent: 'main', state: 'working', asked: 'go' }])
    await expect
      .poll(async () => (await asked('spending', { days: 2, by: 'model' })).rows)
      .toMatchObject([{ name: 'local/small', replies: 2 }])
    expect(await asked('templates')).toEqual({ templates: [], left_out: 0 })
  })

  it('explains what is wrong with a request', async () => {
    const { client, call } = await agent()
    expect(await call('search_sessions', {})).toMatchObject({
      isError: true,
      text: expect.stringContaining('text'),
    })
    expect(await call('spending', { days: 0 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('days'),
    })
    expect(await call('read_session', { source: 'panoptes', session_id: 'nobody' })).toEqual({
      isError: true,
      text: expect.stringContaining('nobody'),
    })
    expect(await call('templates', { name: 'none' })).toEqual({
      isError: true,
      text: expect.stringContaining('none'),
    })
    await expect(client.callTool({ name: 'delete_all', arguments: {} })).rejects.toThrow(
      /Unknown tool: delete_all/,
    )
  })

  it('answers from files when the daemon is killed, closes them, and uses the next daemon', async () => {
    const { asked } = await agent()
    const ask = () => asked('search_sessions', { text: 'lock', limit: 5 })
    const before = await ask()
    expect(before.found.length).toBeGreaterThan(0)
    await daemon.kill()
    expect(await ask()).toEqual(before)
    const [again, agents] = await Promise.all([ask(), asked('live_agents')])
    expect(again).toEqual(before)
    expect(agents.agents).toEqual([])
    daemon = await start()
    expect(await ask()).toEqual(before)
  })

  it('exits when its parent process is gone', async () => {
    const { client } = await agent()
    const { pid } = client.transport as StdioClientTransport
    expect(pid).toBeGreaterThan(0)
    await client.close()
    await expect.poll(() => isRunning(pid ?? 0)).toBe(false)
  })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
