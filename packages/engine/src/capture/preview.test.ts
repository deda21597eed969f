import { success } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { createCapture } from './capture.ts'
import { createClaudeCodeHooks } from './claude-code/index.ts'
import { cutPreviews, inputPreview, preview, truncateText } from './preview.ts'

const SECRET = ['ghp', 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE'].join('_')
const capture = createCapture({ host: 'here', findAgents: async () => success(new Map()) })
const reader = createClaudeCodeHooks()

function eventOf(fields: object) {
  const payload = { session_id: 's1', hook_event_name: 'PreToolUse', tool_name: 'Bash', ...fields }
  const [event] = capture.hook(reader, JSON.stringify(payload), 1)
  return event ?? expect.fail('no event')
}

describe('preview', () => {
  it('shows no part of a secret wherever it is cut', () => {
    for (let before = 0; before <= 900; before += 1) {
      for (const pad of ['x'.repeat(before), ' '.repeat(before)]) {
        const { input_preview } = eventOf({ tool_input: { command: `${pad} ${SECRET} tail` } })
        expect(String(input_preview)).not.toContain(SECRET.slice(0, 8))
        expect(String(input_preview).length).toBeLessThanOrEqual(200)
      }
    }
  })

  it('is one line, ends with an ellipsis when cut, and never splits a character', () => {
    expect(preview(' a\n\tb ')).toBe('a b')
    const { input_preview } = eventOf({ tool_input: { command: `${'x'.repeat(198)}😀😀` } })
    expect(input_preview).toBe(`${'x'.repeat(198)}…`)
  })

  it('shows the beginning of an endless word', () => {
    const { input_preview } = eventOf({ tool_input: { command: 'y'.repeat(100_000) } })
    expect(input_preview).toBe(`${'y'.repeat(199)}…`)
  })
})

describe('the previews of an event', () => {
  it('are cut in every preview field and in no other field', () => {
    const long = 'x'.repeat(300)
    const names = [
      'input_preview',
      'prompt_preview',
      'error_preview',
      'error',
      'message',
      'name',
      'reason',
    ] as const
    const fields = Object.fromEntries([...names, 'payload'].map((name) => [name, long]))
    const cut = cutPreviews(fields as unknown as Parameters<typeof cutPreviews>[0])
    for (const name of names) expect(cut[name], name).toBe(`${'x'.repeat(199)}…`)
    expect(cut.payload).toBe(long)
  })

  it.each([
    [{ command: 'ls', description: 'List' }, 'ls'],
    [{ description: 'Edit', file_path: '/a' }, '/a'],
    [{ cell: 1, notebook_path: '/n.ipynb' }, '/n.ipynb'],
    [{ path: '/src', pattern: 'x' }, 'x'],
    [{ url: 'http://a', prompt: 'read' }, 'http://a'],
    [{ query: 'news' }, 'news'],
    [{ skill: 'tidy' }, 'tidy'],
    [{ command: '', prompt: 'Do it', description: 'Agent' }, 'Agent'],
    [{ path: '/src' }, '/src'],
    [{ other: 'x' }, undefined],
    [null, undefined],
  ])("pick the most telling field of a tool's input: %j", (input, expected) => {
    expect(inputPreview(input)).toBe(expected)
  })
})

describe('a stored raw payload', () => {
  it('shows no part of a secret wherever it is cut', () => {
    for (const before of [8_150, 8_180, 8_191, 16_350, 16_370, 16_383]) {
      const shortened = truncateText(
        JSON.stringify({ text: `${'x'.repeat(before)} ${SECRET}`, more: 'y'.repeat(9_000) }),
      )
      expect(shortened).not.toContain(SECRET.slice(0, 8))
      expect(shortened.length).toBeLessThanOrEqual(8_193)
    }
  })
})
