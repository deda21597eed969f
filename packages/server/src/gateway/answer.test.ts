import type { ChatReply } from '@panoptes/engine/models'
import { describe, expect, it } from 'vitest'
import { type GatewayPart, sendAnswer } from './answer.ts'

async function answered(part: GatewayPart) {
  const parts = (async function* () {
    yield part
  })()
  const response = await sendAnswer({ parts, model: 'moa/p', headers: {}, stop: new AbortController() })
  return { response, body: (await response.json()) as Record<string, unknown> }
}

const reply: ChatReply = {
  message: { role: 'assistant', content: 'one' },
  text: 'one',
  finish_reason: 'stop',
  usage: null,
  model: 'm',
}

describe('a whole answer', () => {
  it("keeps the provider's fields, under the model name that the client used", async () => {
    const choices = [
      {
        index: 0,
        message: { role: 'assistant', content: 'one', annotations: [1] },
        logprobs: { content: [] },
        finish_reason: 'stop',
      },
      { index: 1, message: { role: 'assistant', content: 'two' }, finish_reason: 'length' },
    ]
    const answer = {
      id: 'x',
      model: 'm',
      service_tier: 'flex',
      system_fingerprint: 'fp',
      usage: { prompt_tokens: 1 },
      choices,
    }
    const { body } = await answered({ type: 'end', reply: { ...reply, answer }, usage: undefined })
    expect(body).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'moa/p',
      service_tier: 'flex',
      system_fingerprint: 'fp',
      choices,
    })
  })

  it('is assembled from chunks if the provider streamed it', async () => {
    const { body } = await answered({ type: 'end', reply, usage: { total_tokens: 3 } })
    expect(body).toMatchObject({
      choices: [{ index: 0, message: reply.message, logprobs: null, finish_reason: 'stop' }],
      usage: { total_tokens: 3 },
    })
  })

  it('says how long to wait if it failed', async () => {
    const error = { class: 'rate_limited', message: 'no', status: 429, partial: '', usage: null } as const
    const { response } = await answered({ type: 'failed', error: { ...error, retry: { afterMs: 90_500 } } })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '91'])
  })
})
