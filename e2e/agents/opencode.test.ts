import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PastSession } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { workFolder } from './claude.ts'
import { useGateway } from './gateway.ts'
import { runOpenCode } from './opencode.ts'
import { OPENCODE } from './versions.ts'

const { home, gateway, scripted, asked, turnsOf, tracesOf } = useGateway()
const bash = (id: string, command: string) => ({
  calls: [{ id, name: 'bash', input: { command, description: 'Does a step' } }],
})

describe(`OpenCode ${OPENCODE} through the gateway`, () => {
  it('runs a turn with its own tools: the references are asked once, and the whole turn is stored', async () => {
    const daemon = await gateway()
    scripted().script('acting', bash('call_1', 'echo made > made.txt'), bash('call_2', 'cat made.txt'), {
      text: 'The file is made.',
    })
    const models = { daemon, model: 'moa/review', small: 'local/title' }
    const { code, session, output } = await runOpenCode({ ...models, prompt: 'Make made.txt.' })
    expect(code, output).toBe(0)
    expect(output).toContain('The file is made.')
    expect(await readFile(join(workFolder(home()), 'made.txt'), 'utf8')).toBe('made\n')

    expect([asked('early').length, asked('late').length, asked('acting').length]).toEqual([1, 1, 3])
    const [first, , third] = asked('acting').map(({ body }) => body)
    expect(first).toHaveProperty('tools')
    expect(asked('early')[0]?.body).not.toHaveProperty('tools')
    const before = first?.messages.slice(0, -1)
    expect(JSON.stringify(third?.messages.slice(0, before?.length))).toBe(JSON.stringify(before))
    expect(String(third?.messages.at(-1)?.content)).toContain('Write it with the shell.')

    const [turn, ...others] = await turnsOf(daemon)
    expect(others).toEqual([])
    expect(turn).toMatchObject({ preset: 'review', from: 'gateway', status: 'done', iterations: 3 })
    expect(turn?.session_id).toMatch(/^api-[0-9a-f]{16}$/)
    expect(turn?.slots.map(({ role, iteration }) => [role, iteration])).toEqual([
      ['reference', null],
      ['reference', null],
      ['aggregator', 1],
      ['aggregator', 2],
      ['aggregator', 3],
    ])
    const lines = await tracesOf(turn?.session_id ?? '')
    expect(lines.map(({ turn_id }) => turn_id)).toEqual([turn?.id, turn?.id, turn?.id])
    expect(lines.map(({ references }) => references.length)).toEqual([2, 0, 0])
    expect(lines.map(({ aggregator }) => aggregator.tool_calls?.length ?? 0)).toEqual([1, 1, 0])
    expect(lines.at(-1)?.aggregator).toMatchObject({
      output: 'The file is made.',
      output_location: 'inline_from_stream',
    })

    const known = async () => {
      const reply = await daemon.request('/api/past/sessions')
      return ((await reply.json()) as readonly PastSession[]).map(({ source, id }) => [source, id])
    }
    await expect.poll(known).toContainEqual(['opencode', session])
  })

  it('continues its session: another question is another turn of the same Panoptes session', async () => {
    const daemon = await gateway()
    scripted().script('acting', { text: 'First.' }, { text: 'Second.' })
    const models = { daemon, model: 'moa/review', small: 'local/title' }
    const { session } = await runOpenCode({ ...models, prompt: 'Say first.' })
    const { code, output } = await runOpenCode({ ...models, prompt: 'Say second.', session })
    expect(code, output).toBe(0)
    expect(output).toContain('Second.')
    expect(asked('early')).toHaveLength(2)
    const turns = await turnsOf(daemon)
    expect(turns.map(({ iterations, status }) => [iterations, status])).toEqual([
      [1, 'done'],
      [1, 'done'],
    ])
    expect(new Set(turns.map(({ session_id }) => session_id)).size).toBe(1)
  })
})
