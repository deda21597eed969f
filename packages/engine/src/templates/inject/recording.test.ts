import { fileURLToPath } from 'node:url'
import { claudeCodeSource } from '@panoptes/engine/sources/claude-code'
import type { SessionTemplate } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { makeTemplate } from '../make.ts'
import type { Opening } from '../session-history.ts'
import type { ProviderMessage } from './as-text.ts'
import { forAnthropic, forOpenai } from './index.ts'
import { startProvider } from './provider.test-kit.ts'
import { anthropicProblems, openaiProblems } from './strict.test-kit.ts'

const RECORDED = fileURLToPath(new URL('../../../../../fixtures/claude-code/transcripts', import.meta.url))

/** A template of each recorded Claude Code session with a successful call. */
async function recordedTemplates(): Promise<readonly SessionTemplate[]> {
  const source = claudeCodeSource(RECORDED)
  const templates: SessionTemplate[] = []
  for await (const listed of source.list()) {
    if (listed.kind !== 'listed') continue
    const messages: Opening['messages'][number][] = []
    for await (const record of source.read(listed)) {
      if (record.kind === 'message' && record.message.agent_id === 'main') messages.push(record.message)
      if (record.kind !== 'session') continue
      const opening = { session: record.session, messages } as unknown as Opening
      const made = makeTemplate(opening, { maxExamples: 10, home: '/home/dev', now: 1_800_000_000_000 })
      if (made.ok) templates.push(made.value.template)
    }
  }
  return templates
}

const OPENAI: readonly ProviderMessage[] = [
  { role: 'system', content: 'You are a careful engineer.' },
  { role: 'user', content: 'What is in the notes?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } },
      { id: 'template_0', type: 'function', function: { name: 'read_file', arguments: '{"path":"b"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'template_0', content: 'b' },
  { role: 'tool', tool_call_id: 'call_1', content: 'a' },
  { role: 'assistant', content: 'Two letters.' },
  { role: 'user', content: 'Sort them.' },
]
const ANTHROPIC: readonly ProviderMessage[] = [
  { role: 'system', content: 'You are a careful engineer.' },
  { role: 'user', content: 'What is in the notes?' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'template_0', name: 'Read', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'template_0', content: 'a' }] },
]

describe('template of a recorded Claude Code session', () => {
  it('is accepted in an OpenAI conversation', async () => {
    const ask = await startProvider()
    const templates = await recordedTemplates()
    expect(templates.length).toBeGreaterThan(1)
    for (const template of templates) {
      const messages = forOpenai(template, OPENAI)
      expect(messages).toHaveLength(OPENAI.length + 1 + 2 * template.examples.length)
      expect(openaiProblems(messages)).toEqual([])
      expect(await ask('/v1/chat/completions', { messages })).toBe(200)
      expect(await ask('/v1/chat/completions', { messages: messages.toSpliced(3, 1) })).toBe(400)
    }
  })

  it('is accepted in an Anthropic conversation', async () => {
    const ask = await startProvider()
    for (const template of await recordedTemplates()) {
      for (const given of [ANTHROPIC, []]) {
        const body = forAnthropic(template, given)
        expect(anthropicProblems(body.messages)).toEqual([])
        expect(await ask('/v1/messages', body)).toBe(200)
        expect(await ask('/v1/messages', { ...body, messages: body.messages.slice(1) })).toBe(400)
      }
    }
  })
})
