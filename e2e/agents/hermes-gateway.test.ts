import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { PastSession } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { exitOf } from '../command.ts'
import type { Daemon } from '../daemon.ts'
import { workFolder } from './claude.ts'
import { useGateway } from './gateway.ts'
import { describeHermes, type HermesHome, hermesAcpCommand, runHermes } from './hermes.ts'
import { type HermesApiServer, startHermesApiServer } from './hermes-server.ts'

const { home, gateway, scripted, asked, turnsOf, tracesOf } = useGateway()
const terminal = (id: string, command: string) => ({ calls: [{ id, name: 'terminal', input: { command } }] })
const counts = () => ['early', 'late', 'acting'].map((model) => asked(model).length)

const through = async (daemon: Daemon): Promise<HermesHome> => ({
  home: home(),
  asks: { url: `${daemon.address}/v1`, key: await daemon.token('gateway'), model: 'moa/review' },
})

const sessionsOf = async (daemon: Daemon) =>
  (await turnsOf(daemon)).map(({ session_id, iterations }) => [session_id, iterations])

interface Choice {
  readonly finish_reason: string
  readonly message: { readonly content: string }
}

async function askServer({ url, key }: HermesApiServer, content: string): Promise<Choice | undefined> {
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-hermes-session-id': 'notes-1',
    },
    body: JSON.stringify({ messages: [{ role: 'user', content }] }),
  })
  return ((await reply.json()) as { choices: readonly Choice[] }).choices[0]
}

describeHermes('through the gateway', () => {
  it('runs a turn with its own tools: the references are asked once, and another question is another turn', async () => {
    const daemon = await gateway()
    const hermes = await through(daemon)
    scripted().script(
      'acting',
      { text: 'I make it.', reasoning: 'A file.', ...terminal('call_1', 'echo made > made.txt') },
      terminal('call_2', 'cat made.txt'),
      terminal('call_3', 'ls'),
      { text: 'The file is made.' },
      { text: 'Nothing else.' },
    )
    const { code, session, output } = await runHermes({ ...hermes, prompt: 'Make made.txt.' })
    expect(code, output).toBe(0)
    expect(output).toContain('The file is made.')
    expect(await readFile(join(workFolder(home()), 'made.txt'), 'utf8')).toBe('made\n')

    expect(counts()).toEqual([1, 1, 4])
    const [first, , , last] = asked('acting').map(({ body }) => body)
    expect(first).toHaveProperty('tools')
    expect(asked('early')[0]?.body).not.toHaveProperty('tools')
    const before = first?.messages.slice(0, -1)
    expect(JSON.stringify(last?.messages.slice(0, before?.length))).toBe(JSON.stringify(before))
    expect(String(last?.messages.at(-1)?.content)).toContain('Write it with the shell.')

    const [turn, ...others] = await turnsOf(daemon)
    expect(others).toEqual([])
    expect(turn).toMatchObject({ preset: 'review', from: 'gateway', status: 'done', iterations: 4 })
    expect(turn?.session_id).toMatch(/^api-[0-9a-f]{16}$/)
    const lines = await tracesOf(turn?.session_id ?? '')
    expect(lines.map(({ references }) => references.length)).toEqual([2, 0, 0, 0])
    expect(lines.map(({ aggregator }) => aggregator.tool_calls?.length ?? 0)).toEqual([1, 1, 1, 0])

    const next = await runHermes({ ...hermes, prompt: 'What else?', session })
    expect(next.output).toContain('Nothing else.')
    expect(counts()).toEqual([2, 2, 5])
    expect(await sessionsOf(daemon)).toEqual([
      [turn?.session_id, 1],
      [turn?.session_id, 4],
    ])
    const known = async () => {
      const reply = await daemon.request('/api/past/sessions')
      return ((await reply.json()) as readonly PastSession[]).map(({ source, id }) => [source, id])
    }
    await expect.poll(known).toContainEqual(['hermes', session])
  })

  it('works over its API server: reports errors, asks references once however often it retries, and continues after a kill', async () => {
    const daemon = await gateway()
    const hermes = { ...(await through(daemon)), config: { agent: { api_max_retries: 2 } } }
    const server = await startHermesApiServer(hermes)
    scripted().script('acting', terminal('call_1', 'echo made'), { text: 'First.' })
    expect(await askServer(server, 'Say first.')).toMatchObject({ finish_reason: 'stop' })
    expect(counts()).toEqual([1, 1, 2])

    scripted().script('acting', { status: 401 })
    const failed = await askServer(server, 'Say second.')
    expect(failed).toMatchObject({
      finish_reason: 'error',
      message: { content: expect.stringContaining('401') },
    })
    expect(counts()).toEqual([2, 2, 4])
    await server.kill()

    const restarted = await startHermesApiServer(hermes)
    scripted().script('acting', { text: 'Third.' })
    const third = await askServer(restarted, 'Say third.')
    await restarted.kill()
    expect(third).toMatchObject({ finish_reason: 'stop', message: { content: 'Third.' } })
    expect(JSON.stringify(asked('acting').at(-1)?.body.messages)).toContain('Say first.')
    expect(new Set((await sessionsOf(daemon)).map(([session]) => session)).size).toBe(1)
  })

  it('works over ACP, and asks for a title without references if its config says so', async () => {
    const daemon = await gateway()
    scripted().script('acting', { text: 'So it is.' })
    const config = { auxiliary: { title_generation: { model: 'local/title' } } }
    const { command, env } = await hermesAcpCommand({ ...(await through(daemon)), config })
    const [program = '', ...args] = command
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
    const lines = createInterface({ input: child.stdout })
    const said: unknown[] = []
    const call = (id: number, method: string, params: object) => {
      const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>()
      lines.on('line', (line) => {
        const message = JSON.parse(line) as {
          id?: number
          result: Record<string, unknown>
          params?: { update?: unknown }
        }
        if (message.id === id) resolve(message.result)
        else said.push(message.params?.update)
      })
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      return promise
    }
    await call(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} })
    const { sessionId } = await call(2, 'session/new', { cwd: workFolder(home()), mcpServers: [] })
    const prompt = [{ type: 'text', text: 'Is it so?' }]
    expect(await call(3, 'session/prompt', { sessionId, prompt })).toMatchObject({ stopReason: 'end_turn' })
    expect(JSON.stringify(said)).toContain('agent_message_chunk')
    await expect.poll(() => asked('title').length).toBe(1)
    child.stdin.end()
    await exitOf(child)
    expect(counts()).toEqual([1, 1, 1])
  })
})
