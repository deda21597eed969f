import { type NewEvent, success } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { BOUNDARIES, SECRET_KINDS } from '../redact/secrets.test-kit.ts'
import { createCapture } from './capture.ts'
import { createClaudeCodeHooks } from './claude-code/index.ts'
import { createHermesHooks } from './hermes/read.ts'
import { createLog, request, span } from './otlp/otlp.test-kit.ts'

const newCapture = () => createCapture({ host: 'here', findAgents: async () => success(new Map()) })

/** A source name may be any short text without control characters. */
const asSource = (text: string): string => (/^[^\p{C}]{1,64}$/u.test(text) ? text : 'custom')

/** Lists every input, given one text in each place that accepts text, with what would be stored of it. */
const INTAKES: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
  'a line of events': async (text) => {
    const stored: NewEvent[] = []
    const line = {
      ...{ event: 'tool_use', session_id: 's', id: 'call-1', tool: 'Bash' },
      ...{ source: asSource(text), input_preview: text, title: text, extra: { list: [text], [text]: 1 } },
    }
    const captured = await newCapture().normalise(Buffer.from(JSON.stringify(line)), async (events) => {
      stored.push(...events)
      return success(null)
    })
    expect(captured).toMatchObject({ ok: true, value: { rejectedCount: 0 } })
    return stored
  },
  'a hook of Claude Code': async (text) => {
    const base = { session_id: 's', transcript_path: '/nowhere/s.jsonl', cwd: '/tmp' }
    const call = {
      tool_name: 'Bash',
      tool_use_id: 'toolu_1',
      tool_input: { command: text, description: text },
    }
    return [
      { ...base, hook_event_name: 'UserPromptSubmit', prompt: text },
      { ...base, hook_event_name: 'PreToolUse', ...call },
      { ...base, hook_event_name: 'PostToolUse', ...call, tool_response: { stdout: text, stderr: text } },
      { ...base, hook_event_name: 'Notification', message: text },
    ].flatMap((payload) =>
      newCapture().hook(createClaudeCodeHooks({ looks: false }), JSON.stringify(payload), 1_000),
    )
  },
  'a hook of Hermes': async (text) => {
    const payload = {
      ...{ hook_event_name: 'post_tool_call', session_id: 's', cwd: '/tmp', tool_name: 'terminal' },
      ...{ tool_input: { command: text }, extra: { tool_call_id: 'c', result: text, status: 'ok' } },
    }
    return newCapture().hook(createHermesHooks(), JSON.stringify(payload), 1_000)
  },
  'a payload that cannot be read': async (text) =>
    newCapture().hook(createHermesHooks(), `{"broken ${text}`, 1_000),
  'a span with the name of its service': async (text) => {
    const log = createLog()
    const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': text }
    await log.send(request([span({ id: 1, attributes })], text))
    return log.events()
  },
}

describe.each(Object.entries(INTAKES))('%s', (_intake, take) => {
  it.each(Object.entries(BOUNDARIES))('stores no kind of key %s', async (_boundary, write) => {
    for (const [kind, make] of Object.entries(SECRET_KINDS)) {
      const secret = make()
      const { text, spelled } = write(secret)
      const stored = await take(text)
      expect(stored, kind).not.toEqual([])
      const json = JSON.stringify(stored)
      for (const part of [secret, spelled, JSON.stringify(spelled).slice(1, -1)])
        expect(json, kind).not.toContain(part)
    }
  })
})
