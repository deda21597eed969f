import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ProviderMessage } from './as-text.ts'
import { formatTemplate } from './as-text.ts'
import { anthropicConversation, anyTemplate, frozen, openaiConversation } from './conversations.test-kit.ts'
import { type AnthropicConversation, forAnthropic, forOpenai, hasUsableExamples } from './index.ts'
import { anthropicProblems, openaiProblems } from './strict.test-kit.ts'

describe('any template in any conversation', () => {
  it("stays valid for OpenAI, keeps the caller's messages and is idempotent", () => {
    fc.assert(
      fc.property(openaiConversation, anyTemplate, anyTemplate, (given, template, other) => {
        const messages = frozen(given)
        expect(openaiProblems(messages)).toEqual([])
        const once = forOpenai(frozen(template), messages)
        expect(once).not.toBe(messages)
        expect(openaiProblems(once)).toEqual([])
        expect(once.filter((message) => messages.includes(message))).toEqual(messages)
        expect(openaiProblems(forOpenai(other, frozen(once)))).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  it('stays valid for Anthropic, keeps the system prompt and is idempotent', () => {
    fc.assert(
      fc.property(anthropicConversation, anyTemplate, anyTemplate, (given, template, other) => {
        const messages = frozen(given)
        const spoken = messages.filter(({ role }) => role !== 'system')
        expect(anthropicProblems(spoken)).toEqual([])
        const once = forAnthropic(frozen(template), messages)
        expect(anthropicProblems(once.messages)).toEqual([])
        expect(once.messages.slice(once.messages.length - spoken.length)).toEqual(spoken)
        for (const { content } of messages.filter(({ role }) => role === 'system')) {
          expect(wordsOf(once.system)).toContain(wordsOf(content))
        }
        const again = forAnthropic(other, [{ role: 'system', content: once.system ?? '' }, ...once.messages])
        expect(anthropicProblems(again.messages)).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  it('is bounded as text and never splits a character', () => {
    fc.assert(
      fc.property(anyTemplate, fc.integer({ min: 0, max: 5_000 }), (template, more) => {
        const examples = template.examples.map((example) => ({
          ...example,
          result: example.result + '😀\n'.repeat(more),
        }))
        const text = formatTemplate({ ...template, examples, name: template.name.repeat(20) })
        expect(text === undefined).toBe(!hasUsableExamples(template))
        if (text === undefined) return
        expect(text.length).toBeLessThan(9_500)
        expect(text.isWellFormed()).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})

const wordsOf = (content: AnthropicConversation['system'] | unknown): string =>
  Array.isArray(content)
    ? content.map(({ text }: ProviderMessage) => String(text)).join('\n\n')
    : String(content)
