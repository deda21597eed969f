import { success } from '@panoptes/schema/result'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asking, type ChatLab, chatLab, collectEvents, scriptedRuntime, value } from '../chat.test-kit.ts'
import type { RuntimeRequest } from '../runtimes/port.ts'
import { createContextBuilder } from './context-builder.ts'
import { userMemory } from './memory-files.ts'
import { recalledMemory } from './recall-sections.ts'
import { countTokens } from './tokens.ts'

const BUDGET = 3_000
/** Generous, so that a busy machine does not lose a section. */
const PATIENT_MS = 30_000

/** Everything that is sent, in the order a model reads it. */
const rendered = ({ baseline, history, preamble, message }: RuntimeRequest): readonly string[] => [
  baseline,
  ...history.map(({ preamble: before, content }) => `${before ?? ''}|${content}`),
  `${preamble}|${message}`,
]

const tokensIn = ({ baseline, history, preamble, message }: RuntimeRequest): number =>
  [baseline, preamble, message, ...history.flatMap((said) => [said.preamble ?? '', said.content])]
    .map(countTokens)
    .reduce((sum, one) => sum + one, 0)

describe('prompt of a conversation', () => {
  let lab: ChatLab
  beforeAll(async () => {
    lab = await chatLab()
  })
  afterAll(() => lab.end())

  const step = fc.record({
    message: fc.oneof(
      fc.string({ minLength: 1, maxLength: 40 }),
      fc.constant('Tell me more of it. '.repeat(30)),
    ),
    answer: fc.oneof(fc.constant(''), fc.lorem({ maxCount: 30 }), fc.lorem({ maxCount: 400 })),
    fact: fc.option(fc.lorem({ maxCount: 8 }), { freq: 3 }),
    isFailing: fc.boolean(),
  })

  it('keeps its prefix during an epoch, fits its budget and omits nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
        let now = 0
        const { adapter, asked } = scriptedRuntime('jarvis', async function* () {
          const { answer = '', isFailing } = steps[now] ?? {}
          if (answer !== '') yield { type: 'chunk', delta: answer }
          if (isFailing) yield { type: 'failed', code: 'died', message: 'gone', retryable: true }
          else yield { type: 'end', outcome: 'completed' }
        })
        const build = createContextBuilder({
          sources: [
            userMemory({
              facts: lab.conversations.facts,
              loadAgentMemory: async () => ({ items: ['Hermes: likes tea'], unread: [], leftOut: 0 }),
            }),
            recalledMemory(async (query) =>
              success({
                found: [
                  {
                    source: 'codex',
                    session_id: 's',
                    title: null,
                    message_id: null,
                    role: 'user',
                    ts: 1,
                    text: `before: ${query.slice(0, 9)}`,
                  },
                ],
                total: 1,
              }),
            ),
          ].map((source) => ({ ...source, timeoutMs: PATIENT_MS })),
          skills: async () => ({ skills: [], left_out: 0, status: 'absent' }),
          plan: async () => ({ decision: 'sequential', worthiness: 1, reasons: [], nodes: [], edges: [] }),
          template: async () => success({ items: [] }),
        })
        const chat = lab.open([adapter], { build, budgetTokens: BUDGET })
        const { id } = value(await chat.create({}))
        const facts: string[] = []
        for (const [at, { message, fact }] of steps.entries()) {
          now = at
          if (fact !== null) facts.push(value(await chat.remember(fact)).id)
          await collectEvents(await chat.chat(id, asking(message)))
          const { messages } = value(await chat.get(id))
          const request = asked[at] as RuntimeRequest
          expect(tokensIn(request)).toBeLessThanOrEqual(BUDGET)
          if (fact !== null && request.message.length < 60)
            expect(rendered(request).join('\n')).toContain(fact)
          const { sections } = value(await chat.context(id, request.user_message_id))
          const { left_out: told = 0 } = sections.find(({ key }) => key === 'messages') ?? {}
          const said = messages.slice(told, -2).filter(({ content }) => content !== '')
          expect(request.history.map(({ content }) => content)).toEqual(said.map(({ content }) => content))
          if (told > 0) expect(request.baseline).toContain('kind="summary"')
          const before = asked[at - 1]
          if (before === undefined) continue
          if (
            request.baseline === before.baseline &&
            request.history[0]?.id === (before.history[0]?.id ?? before.user_message_id)
          )
            expect(rendered(request).slice(0, rendered(before).length)).toEqual(rendered(before))
          else
            expect(
              tokensIn(before) + countTokens(steps[at - 1]?.answer ?? '') + countTokens(message),
            ).toBeGreaterThan(BUDGET / 3)
        }
        for (const fact of new Set(facts)) value(await chat.forgetFact(fact))
        await chat.close()
      }),
      { numRuns: 20, endOnFailure: true },
    )
  })
})
