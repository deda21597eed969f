import { describe, expect, it } from 'vitest'
import { anthropicUsage, mergeReportedUsage, openaiUsage, toOpenaiUsage } from './usage.ts'

describe('token usage of providers', () => {
  it("subtracts cached tokens from OpenAI's prompt tokens, under each of their names", () => {
    const details = { cached_tokens: 30, cache_write_tokens: 20 }
    const told = { prompt_tokens: 100, completion_tokens: 9, prompt_tokens_details: details }
    const usage = {
      input: 50,
      output: 9,
      cache_read: 30,
      cache_write: 20,
      cache_write_1h: null,
      reasoning: null,
    }
    expect(openaiUsage(told)).toEqual(usage)
    const plain = { prompt_tokens: 100, completion_tokens: 9 }
    expect(openaiUsage({ ...plain, prompt_cache_hit_tokens: 30 })).toMatchObject({
      input: 70,
      cache_read: 30,
    })
    expect(openaiUsage({ ...plain, cache_read_input_tokens: 30 })).toMatchObject({
      input: 70,
      cache_read: 30,
    })
    expect(openaiUsage({ ...plain, prompt_tokens_details: { cache_creation_tokens: 5 } })).toMatchObject({
      input: 95,
      cache_write: 5,
    })
    expect(openaiUsage({ ...plain, cache_creation_input_tokens: 5 })).toMatchObject({
      input: 95,
      cache_write: 5,
    })
    expect(openaiUsage({ ...plain, completion_tokens_details: { reasoning_tokens: 4 } })).toMatchObject({
      output: 9,
      reasoning: 4,
    })
    expect(toOpenaiUsage(usage)).toEqual({
      prompt_tokens: 100,
      completion_tokens: 9,
      total_tokens: 109,
      prompt_tokens_details: details,
    })
  })

  it("keeps Anthropic's input tokens, which exclude the cache", () => {
    expect(
      anthropicUsage({
        input_tokens: 10,
        output_tokens: 2,
        cache_read_input_tokens: 30,
        cache_creation_input_tokens: 20,
        cache_creation: { ephemeral_1h_input_tokens: 15 },
        output_tokens_details: { thinking_tokens: 1 },
      }),
    ).toEqual({ input: 10, output: 2, cache_read: 30, cache_write: 20, cache_write_1h: 15, reasoning: 1 })
  })

  it('is unknown if nothing was counted, and never negative', () => {
    for (const read of [openaiUsage, anthropicUsage])
      for (const none of [null, undefined, 'x', {}]) expect(read(none)).toBeNull()
    expect(openaiUsage({ prompt_tokens: 5, prompt_cache_hit_tokens: 9 })).toMatchObject({
      input: 0,
      output: null,
    })
    expect(anthropicUsage({ input_tokens: -3, output_tokens: Number.NaN })).toMatchObject({
      input: 0,
      output: null,
    })
  })

  it("passes on the provider's own fields and prefers its own counts", () => {
    const usage = openaiUsage({ prompt_tokens: 5, completion_tokens: 1 })
    expect(
      mergeReportedUsage(usage, { cost: 0.5, total_tokens: 7, prompt_tokens_details: { audio_tokens: 2 } }),
    ).toEqual({
      prompt_tokens: 5,
      completion_tokens: 1,
      total_tokens: 7,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 2 },
      cost: 0.5,
    })
    expect(mergeReportedUsage(null, undefined)).toBeUndefined()
  })
})
