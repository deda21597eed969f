import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PastSession } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { workFolder } from './claude.ts'
import { runCodex } from './codex.ts'
import { useGateway } from './gateway.ts'
import { CODEX } from './versions.ts'

const { home, gateway, scripted, asked, turnsOf, tracesOf } = useGateway()
const exec = (id: string, cmd: string) => ({ calls: [{ id, name: 'exec_command', input: { cmd } }] })
const model = 'moa/review'

describe(`Codex ${CODEX} through the gateway`, () => {
  it('runs a turn with its own tools: the references are asked once, and the turn is stored under its name', async () => {
    const daemon = await gateway()
    const first = { text: 'I make it.', reasoning: 'A file.', ...exec('call_1', 'echo made > made.txt') }
    scripted().script('acting', first, exec('call_2', 'cat made.txt'), { text: 'The file is made.' })
    const { code, thread, output } = await runCodex({ daemon, model, prompt: 'Make made.txt.' })
    expect(code, output).toBe(0)
    expect(output).toContain('The file is made.')
    expect(await readFile(join(workFolder(home()), 'made.txt'), 'utf8')).toBe('made\n')
    // The usage of all models: three calls of the acting model and one of each reference.
    expect(output).toContain('"input_tokens":600,"cached_input_tokens":500')

    expect([asked('early').length, asked('late').length, asked('acting').length]).toEqual([1, 1, 3])
    const [begun, , last] = asked('acting').map(({ body }) => body)
    const before = begun?.messages.slice(0, -1)
    expect(JSON.stringify(last?.messages.slice(0, before?.length))).toBe(JSON.stringify(before))
    expect(JSON.stringify(last?.messages)).toContain('Write it with the shell.')
    expect(last?.messages.map(({ role }) => role)).toEqual([
      ...['system', 'user', 'user', 'assistant', 'tool', 'assistant', 'tool', 'user'],
    ])
    expect(last?.messages[6]?.content).toContain('made')
    expect(asked('early')[0]?.body).not.toHaveProperty('tools')

    const [turn, ...others] = await turnsOf(daemon)
    expect(others).toEqual([])
    expect(turn).toMatchObject({ preset: 'review', from: 'gateway', status: 'done', iterations: 3 })
    expect(turn?.session_id).toBe(thread)
    const lines = await tracesOf(thread)
    expect(lines.map(({ references }) => references.length)).toEqual([2, 0, 0])
    expect(lines.map(({ aggregator }) => aggregator.tool_calls?.length ?? 0)).toEqual([1, 1, 0])

    const known = async () => {
      const reply = await daemon.request('/api/past/sessions')
      return ((await reply.json()) as readonly PastSession[]).map(({ source, id }) => [source, id])
    }
    await expect.poll(known).toContainEqual(['codex', thread])
  })

  it('continues its conversation: another question is another turn of the same session', async () => {
    const daemon = await gateway()
    scripted().script('acting', { text: 'First.' }, { text: 'Second.' })
    const { thread } = await runCodex({ daemon, model, prompt: 'Say first.' })
    const { code, output } = await runCodex({ daemon, model, prompt: 'Say second.', thread })
    expect(code, output).toBe(0)
    expect(output).toContain('Second.')
    expect(asked('early')).toHaveLength(2)
    const turns = await turnsOf(daemon)
    expect(turns.map(({ session_id, iterations }) => [session_id, iterations])).toEqual([
      [thread, 1],
      [thread, 1],
    ])
  })

  it('patches files with a free-form tool, if Codex knows the model', async () => {
    const daemon = await gateway()
    const input = '*** Begin Patch\n*** Add File: note.txt\n+"so" it is\n*** End Patch\n'
    const calls = [{ id: 'call_1', name: 'apply_patch', input: { input } }]
    scripted().script('gpt-5.5', { calls }, { text: 'Patched.' })
    const { code, output } = await runCodex({ daemon, model: 'local/gpt-5.5', prompt: 'Write note.txt.' })
    expect(code, output).toBe(0)
    expect(await readFile(join(workFolder(home()), 'note.txt'), 'utf8')).toBe('"so" it is\n')
    expect(asked('gpt-5.5').at(-1)?.body.messages.at(-1)?.content).toContain('note.txt')
  })

  it('reports an error at once if a retry is of no use', async () => {
    const daemon = await gateway()
    scripted().script('acting', { status: 401 })
    const { code, output } = await runCodex({ daemon, model: 'local/acting', prompt: 'Say it.' })
    expect(code).not.toBe(0)
    expect(asked('acting')).toHaveLength(1)
    expect(output).toContain('turn.failed')
  })
})
