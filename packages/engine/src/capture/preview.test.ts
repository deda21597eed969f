import { success } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { createCapture } from './capture.ts'
import { createClaudeCodeHooks } from './claude-code/index.ts'
import { beginningOf, preview } from './preview.ts'

const SECRET = ['ghp', 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE'].join('_')
const capture = createCapture({ host: 'here', findAgents: async () => success(new Map()) })
const reader = createClaudeCodeHooks()

function eventOf(fields: object) {
  const payload = { session_id: 's1', hook_event_name: 'PreToolUse', tool_name: 'Bash', ...fields }
  const [event] = capture.hook(reader, JSON.stringify(payload), 1)
  return event ?? expect.fail('no event')
}

describe('a preview', () => {
  it('shows no part of a secret, wherever it is cut', () => {
    for (let before = 0; before <= 900; before += 1) {
      for (const pad of ['x'.repeat(before), ' '.repeat(before)]) {
        const { input_preview } = eventOf({ tool_input: { command: `${pad} ${SECRET} tail` } })
        expect(String(input_preview)).not.toContain(SECRET.slice(0, 8))
        expect(String(input_preview).length).toBeLessThanOrEqual(200)
      }
    }
  })

  it('is one line that ends with an ellipsis where it was cut, never within a character', () => {
    expect(preview(' a\n\tb ')).toBe('a b')
    const { input_preview } = eventOf({ tool_input: { command: `${'x'.repeat(198)}😀😀` } })
    expect(input_preview).toBe(`${'x'.repeat(198)}…`)
  })

  it('shows the beginning of a word without an end', () => {
    const { input_preview } = eventOf({ tool_input: { command: 'y'.repeat(100_000) } })
    expect(input_preview).toBe(`${'y'.repeat(199)}…`)
  })
})

describe('a payload that is kept', () => {
  it('shows no part of a secret, wherever it is cut', () => {
    for (const before of [8_150, 8_180, 8_191, 16_350, 16_370, 16_383]) {
      const kept = beginningOf(
        JSON.stringify({ text: `${'x'.repeat(before)} ${SECRET}`, more: 'y'.repeat(9_000) }),
      )
      expect(kept).not.toContain(SECRET.slice(0, 8))
      expect(kept.length).toBeLessThanOrEqual(8_193)
    }
  })
})
