import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { PastSession } from '@panoptes/schema'
import { expect, it } from 'vitest'
import type { Daemon } from '../daemon.ts'
import { workFolder } from './claude.ts'
import { useGateway } from './gateway.ts'
import { describeHermes, type HermesHome, hermesAcpCommand, runHermes } from './hermes.ts'
import { startHermesApiServer } from './hermes-server.ts'

const { home, gateway, scripted, asked, turnsOf, tracesOf } = useGateway()
const terminal = (id: string, command: string) => ({ calls: [{ id, name: 'terminal', input: { command } }] })
const counts = () => ['early', 'late', 'acting'].map((model) => asked(model).length)

const through = async (daemon: Daemon): Promise<HermesHome> => ({
  home: home(),
  asks: { url: `${daemon.address}/v1`, key: await daemon.token('gateway'), model: 'moa/review' },
})

describeHermes('through the gateway', () => {
  it('does a turn with tools of its own: references are asked once, and the turn is kept whole', async () => {
    const daemon = await gateway()
    scripted().script(
      'acting',
      { text: 'I make it.', reasoning: 'A file.', ...terminal('call_1', 'echo made > made.txt') },
      terminal('call_2', 'cat made.txt'),
      terminal('call_3', 'ls'),
      { text: 'The file is made.' },
    )
    const { code, session, output } = await runHermes({
      ...(await through(daemon)),
      prompt: 'Make made.txt.',
    })
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

    const known = async () => {
      const reply = await daemon.request('/api/past/sessions')
      return ((await reply.json()) as readonly PastSession[]).map(({ source, id }) => [source, id])
    }
    await expect.poll(known, { timeout: 20_000 }).toContainEqual(['hermes', session])
  })

  it('goes on with its session: another question is another turn of the same session of ours', async () => {
    const daemon = await gateway()
    scripted().script('acting', { text: 'First.' }, { text: 'Second.' })
    const hermes = await through(daemon)
    const { session } = await runHermes({ ...hermes, prompt: 'Say first.' })
    const { code, output } = await runHermes({ ...hermes, prompt: 'Say second.', session })
    expect(code, output).toBe(0)
    expect(output).toContain('Second.')
    expect(counts()).toEqual([2, 2, 2])
    const turns = await turnsOf(daemon)
    expect(turns.map(({ iterations, status }) => [iterations, status])).toEqual([
      [1, 'done'],
      [1, 'done'],
    ])
    expect(new Set(turns.map(({ session_id }) => session_id)).size).toBe(1)
  })

  it('says what is wrong, and asks references no second time when it tries again', async () => {
    const daemon = await gateway()
    scripted().script('acting', { status: 401 })
    const config = { agent: { api_max_retries: 2 } }
    const { code, output } = await runHermes({ ...(await through(daemon)), config, prompt: 'Say it.' })
    expect(code).toBe(1)
    expect(output).toContain('401')
    expect(counts()).toEqual([1, 1, 2])
  })

  it('is asked by its API server, and goes on where it was after it was killed', async () => {
    const daemon = await gateway()
    const hermes = await through(daemon)
    scripted().script('acting', terminal('call_1', 'echo made'), { text: 'First.' }, { text: 'Second.' })
    const ask = async (message: string) => {
      const server = await startHermesApiServer(hermes)
      const reply = await fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${server.key}`,
          'content-type': 'application/json',
          'x-hermes-session-id': 'notes-1',
        },
        body: JSON.stringify({ messages: [{ role: 'user', content: message }] }),
      })
      const text = await reply.text()
      await server.kill()
      return text
    }
    expect(await ask('Say first.')).toContain('First.')
    expect(await ask('Say second.')).toContain('Second.')
    expect(counts()).toEqual([2, 2, 3])
    const turns = await turnsOf(daemon)
    expect(turns.map(({ iterations }) => iterations)).toEqual([1, 2])
    expect(new Set(turns.map(({ session_id }) => session_id)).size).toBe(1)
  })

  it('is asked by ACP', async () => {
    const daemon = await gateway()
    scripted().script('acting', { text: 'So it is.' })
    const { command, env } = await hermesAcpCommand(await through(daemon))
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
    child.stdin.end()
    expect(JSON.stringify(said)).toContain('agent_message_chunk')
    expect(counts()).toEqual([1, 1, 1])
  })
})
