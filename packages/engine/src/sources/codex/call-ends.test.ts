import { describe, expect, it } from 'vitest'
import { Ends } from './conversation.ts'
import { isInjected } from './injected-messages.ts'
import { parseOutcome } from './outcome.ts'

describe('the end of a call', () => {
  const outcomes = (item: object) => {
    const ends = new Ends()
    ends.saw({ type: 'end', call_id: 'c', ...item })
    return ends.take('c')?.ok
  }

  it.each<[object, boolean | null | undefined]>([
    [{ exit_code: 0 }, true],
    [{ exit_code: 1 }, false],
    [{ success: true }, true],
    [{ success: false }, false],
    [{ status: 'completed' }, true],
    [{ status: 'failed' }, false],
    [{ status: 'declined' }, null],
    [{ status: 'declined', exit_code: -1 }, null],
    [{ status: 'in_progress' }, undefined],
    [{ result: { Ok: {} } }, true],
    [{ result: { Ok: { isError: true } } }, false],
    [{ result: { Ok: { is_error: true } } }, false],
    [{ result: { Err: 'no' } }, false],
    [{}, undefined],
  ])('reported as %j has the outcome %s', (item, ok) => {
    expect(outcomes(item)).toBe(ok)
  })

  it.each([
    ['exec command rejected by user', null],
    ['aborted by user after 5.0s', null],
    ['Wall time: 5.0 seconds\naborted by user', null],
    ['exec_command failed: no such folder', false],
    ['Exit code: 1\nWall time: 0.1 seconds\nOutput:\naborted', false],
  ])('with the output %j has the outcome %s', (text, ok) => {
    expect(parseOutcome(text).ok).toBe(ok)
  })

  it('is stored per call until it is requested once', () => {
    const ends = new Ends()
    ends.saw({ call_id: 'a', exit_code: 0, duration: { secs: 1, nanos: 500_000_000 } })
    ends.saw({ type: 'item_completed', item: { id: 'b', exit_code: 2 } })
    expect(ends.take('a')).toEqual({ ok: true, duration_ms: 1_500 })
    expect(ends.take('b')).toEqual({ ok: false, duration_ms: null })
    expect(ends.take('a')).toBeUndefined()
  })
})

describe('a user message', () => {
  const message = (...texts: string[]) => ({ content: texts.map((text) => ({ type: 'input_text', text })) })

  it.each([
    '<environment_context>',
    '<user_instructions>',
    '<permissions instructions>',
    '<skill>',
    '<turn_aborted>',
    '<subagent_notification>',
    '<user_shell_command>',
    '# AGENTS.md instructions',
  ])('beginning with %s is from Codex', (beginning) => {
    expect(isInjected(message(`  ${beginning} …`))).toBe(true)
    expect(isInjected(message(`${beginning} …`, 'and what I want'))).toBe(false)
  })

  it('is from the person by default, or when Codex marks it so', () => {
    expect(isInjected(message('Tidy up'))).toBe(false)
    expect(isInjected({ content: [] })).toBe(false)
    const from = (type: string) => ({
      ...message('<skill> x'),
      internal_chat_message_metadata_passthrough: {
        content_item_metadata: [{ provenance: { type } }],
      },
    })
    expect([isInjected(from('user')), isInjected(from('system'))]).toEqual([false, true])
  })
})
