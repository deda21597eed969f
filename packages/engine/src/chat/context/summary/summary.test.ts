import { failure, success } from '@panoptes/schema/result'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asking,
  type ChatLab,
  chatLab,
  collectEvents,
  saying,
  scriptedRuntime,
  value,
} from '../../chat.test-kit.ts'
import type { AskModel } from '../dependencies.ts'
import { countTokens } from '../tokens.ts'
import { extractSummary } from './extract.ts'
import { createSummaryKeeper } from './summary-keeper.ts'

const said = (content: string, role: 'user' | 'assistant' = 'user') => ({ content, role })

describe('extracted summary', () => {
  it('has the first words of each message in order, after the existing summary', () => {
    expect(
      extractSummary(
        'The person: hello',
        [said('How is\nthe tea?'), said('Warm. '.repeat(90), 'assistant')],
        500,
      ),
    ).toBe(`The person: hello\nThe person: How is the tea?\nThe answer: ${'Warm. '.repeat(30).trim()}`)
    expect(extractSummary(null, [], 500)).toBeNull()
    expect(extractSummary(null, [said('See ```js\nlong()\n``` there')], 500)).toBe('The person: See … there')
  })

  it('stays within its limits and counts what it leaves out, even when repeated', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.lorem({ maxCount: 60 }), { minLength: 1, maxLength: 20 }), { maxLength: 8 }),
        fc.integer({ min: 40, max: 600 }),
        (rounds, tokens) => {
          let summary: string | null = null
          let lines = 0
          for (const round of rounds) {
            summary = extractSummary(
              summary,
              round.map((text) => said(text)),
              tokens,
            )
            lines += round.length
            const kept = (summary ?? '').split('\n').filter((line) => line !== '')
            const gone = kept.filter((line) => /^\(\d+ lines? left out\)$/.test(line))
            const count = Number(/\d+/.exec(gone[0] ?? '0')?.[0])
            expect(countTokens(summary ?? '')).toBeLessThanOrEqual(tokens)
            expect(gone.length).toBeLessThanOrEqual(1)
            expect(kept.length - gone.length + count).toBe(lines)
          }
        },
      ),
    )
  })
})

describe('summary of a conversation', () => {
  let lab: ChatLab
  beforeAll(async () => {
    lab = await chatLab()
  })
  afterAll(() => lab.end())

  const BUDGET = 4_000
  const LONG = 'Words and words of an answer. '.repeat(40)

  /** Runs a conversation of this many turns. */
  const talk = async (turns: number, ask: AskModel | null, from = 0, known?: string) => {
    const runtime = scriptedRuntime('jarvis', saying(LONG))
    const chat = lab.open([runtime.adapter], { ask, budgetTokens: BUDGET })
    const id = known ?? value(await chat.create({})).id
    for (let turn = from; turn < from + turns; turn += 1)
      await collectEvents(await chat.chat(id, asking(`question number ${turn}`)))
    return { chat, id, asked: runtime.asked }
  }
  const windowOf = async (id: string) => {
    const window = value(await lab.conversations.window(id, { chars: 100_000 }))
    if (window === null) throw new Error('gone')
    return window
  }
  const kept = (id: string, ask: AskModel | null) => {
    const keeper = createSummaryKeeper({ conversations: lab.conversations, ask, budgetTokens: BUDGET })
    keeper.schedule(id)
    return keeper.idle()
  }

  it('is made by the model after a run and takes over when the messages no longer fit', async () => {
    const prompts: string[] = []
    const ask: AskModel = async (prompt) => {
      prompts.push(prompt)
      return success(`They spoke of ${prompts.length} things.`)
    }
    const { id } = await talk(2, ask)
    expect(prompts).toEqual([])
    const { chat, asked } = await talk(4, ask, 2, id)
    await expect
      .poll(async () => (await windowOf(id)).epoch?.next ?? (await windowOf(id)).epoch?.summarised_to)
      .toBeTruthy()
    expect(prompts[0]).toContain('question number 0')
    await kept(id, ask)
    const { chat: later, asked: more } = await talk(8, ask, 6, id)
    await chat.close()
    await later.close()
    const requests = [...asked, ...more]
    expect(requests.at(-1)?.baseline).toMatch(/They spoke of \d+ things\./)
    const baselines = new Set(requests.map(({ baseline }) => baseline))
    expect(baselines.size).toBeGreaterThan(1)
    expect(baselines.size).toBeLessThan(6)
  })

  it('leaves no gap before the messages that are sent in full', async () => {
    const covered = new Map<string, string>()
    const ask: AskModel = async (prompt) => {
      const numbers = [...prompt.matchAll(/question number (\d+)|covers ([\d,]+)/g)].flatMap(
        ([, one, many]) => one ?? many?.split(',') ?? [],
      )
      const all = [...new Set(numbers)]
      for (const number of all) covered.set(number, number)
      return success(`covers ${all.join(',')}`)
    }
    const { chat, id, asked } = await talk(16, ask)
    await chat.close()
    for (const [turn, { baseline, history }] of asked.entries()) {
      const text = [baseline, ...history.map(({ content }) => content)].join('\n')
      const told = new Set(
        [...text.matchAll(/number (\d+)|covers ([\d,]+)/g)].flatMap(
          ([, one, many]) => one ?? many?.split(',') ?? [],
        ),
      )
      for (let before = 0; before < turn; before += 1) expect(told.has(String(before))).toBe(true)
    }
    expect((await windowOf(id)).epoch?.unread).toBeUndefined()
  })

  it.each([
    ['fails', async () => failure('io', 'no model')],
    ['throws', () => Promise.reject(new Error('broken'))],
    ['says nothing', async () => success('  ')],
  ] as const)('is extracted if the model %s', async (_how, ask) => {
    const { chat, id } = await talk(5, null)
    await chat.close()
    const before = await windowOf(id)
    value(await lab.conversations.setEpoch(id, before.epoch && { ...before.epoch, next: undefined }))
    await kept(id, ask)
    const { epoch } = await windowOf(id)
    expect(epoch?.next?.summary).toMatch(/^The person: question number 0\nThe answer: Words and words/)
  })

  it('is bounded, whatever the model returns', async () => {
    const { chat, id } = await talk(5, null)
    await chat.close()
    const before = await windowOf(id)
    value(await lab.conversations.setEpoch(id, before.epoch && { ...before.epoch, next: undefined }))
    await kept(id, async () => success('a lot to say '.repeat(50_000)))
    expect(countTokens((await windowOf(id)).epoch?.next?.summary ?? '')).toBeLessThanOrEqual(BUDGET / 16)
  })

  it('does not delay the next message and ends with the chat', async () => {
    const heard = Promise.withResolvers<void>()
    const ask: AskModel = (_prompt, signal) =>
      new Promise((_done, failed) => {
        heard.resolve()
        signal.addEventListener('abort', () => failed(new Error('stopped')))
      })
    const { chat, id } = await talk(5, ask)
    await heard.promise
    const began = performance.now()
    await collectEvents(await chat.chat(id, asking('next')))
    await chat.close()
    expect(performance.now() - began).toBeLessThan(15_000)
  })

  it('covers a conversation too long to read at once in several steps', async () => {
    const { chat, id } = await talk(1, null)
    await chat.close()
    const long = lab.open([scriptedRuntime('jarvis', saying(LONG)).adapter], { budgetTokens: 400_000 })
    for (let turn = 1; turn < 40; turn += 1)
      await collectEvents(await long.chat(id, asking(`question number ${turn}`)))
    await long.close()
    const small = await talk(1, null, 40, id)
    const request = small.asked[0]
    expect(request?.baseline).toContain('kind="summary"')
    expect(request?.baseline).not.toContain('question number 0')
    await small.chat.close()
    expect((await windowOf(id)).epoch?.unread).toBeGreaterThan(0)
    await kept(id, null)
    const { chat: last, asked } = await talk(1, null, 41, id)
    await last.close()
    expect(asked[0]?.baseline).toContain('question number 0')
    expect((await windowOf(id)).epoch?.unread).toBeUndefined()
  })
})
