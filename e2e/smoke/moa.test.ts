import type { ScriptedServer } from '@panoptes/engine/testing/scripted-models'
import type { MoaTurn } from '@panoptes/schema'
import OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useHome } from '../command-kit.ts'
import { startScriptedModels, writePreset } from '../moa-models.ts'

const { home, start } = useHome()
let models: ScriptedServer
beforeEach(async () => {
  models = await startScriptedModels()
  await writePreset(home(), models.url)
})
afterEach(() => models.close())

describe('a Mixture-of-Agents turn through the gateway', () => {
  it('streams the acting model, which gets the advice of every reference, and stores the turn with its tokens', async () => {
    const daemon = await start()
    const client = new OpenAI({
      apiKey: await daemon.token('gateway'),
      baseURL: `${daemon.address}/v1`,
      maxRetries: 0,
    })
    const stream = await client.chat.completions.create({
      model: 'moa/review',
      messages: [{ role: 'user', content: 'Is it safe?' }],
      stream: true,
    })
    let answer = ''
    for await (const part of stream) answer += part.choices[0]?.delta.content ?? ''
    expect(answer).toBe('Make a copy, then look at the lock.')

    const calls = (model: string) => models.requests.filter(({ body }) => body.model === model)
    expect([calls('early').length, calls('late').length, calls('acting').length]).toEqual([1, 1, 1])
    expect(calls('acting')[0]?.text).toContain('Look at the lock first.')
    expect(calls('acting')[0]?.text).toContain('Make a copy before anything else.')

    const turns = async () =>
      ((await (await daemon.request('/api/moa/turns')).json()) as { turns: readonly MoaTurn[] }).turns
    await expect
      .poll(turns)
      .toMatchObject([{ preset: 'review', status: 'done', iterations: 1, question: 'Is it safe?' }])
    const [turn] = await turns()
    expect(turn?.slots.map(({ role, model, error }) => [role, model, error])).toEqual([
      ['reference', 'early', null],
      ['reference', 'late', null],
      ['aggregator', 'acting', null],
    ])
    expect(turn?.slots.every(({ usage }) => (usage?.output_tokens ?? 0) > 0)).toBe(true)
  })
})
