import { describe, expect, it } from 'vitest'
import { Ends } from './ends.ts'
import { isInjected } from './injected.ts'

describe('the end of a call', () => {
  const told = (item: object) => {
    const ends = new Ends()
    ends.saw({ type: 'end', call_id: 'c', ...item })
    return ends.take('c')?.ok
  }

  it.each<[object, boolean | undefined]>([
    [{ exit_code: 0 }, true],
    [{ exit_code: 1 }, false],
    [{ success: true }, true],
    [{ success: false }, false],
    [{ status: 'completed' }, true],
    [{ status: 'failed' }, false],
    [{ status: 'declined' }, false],
    [{ status: 'in_progress' }, undefined],
    [{ result: { Ok: {} } }, true],
    [{ result: { Ok: { isError: true } } }, false],
    [{ result: { Ok: { is_error: true } } }, false],
    [{ result: { Err: 'no' } }, false],
    [{}, undefined],
  ])('that says %j is told as %s', (item, ok) => {
    expect(told(item)).toBe(ok)
  })

  it('is kept for each call until it is asked for, once', () => {
    const ends = new Ends()
    ends.saw({ call_id: 'a', exit_code: 0, duration: { secs: 1, nanos: 500_000_000 } })
    ends.saw({ type: 'item_completed', item: { id: 'b', exit_code: 2 } })
    expect(ends.take('a')).toEqual({ ok: true, duration_ms: 1_500 })
    expect(ends.take('b')).toEqual({ ok: false, duration_ms: null })
    expect(ends.take('a')).toBeUndefined()
  })
})

describe('a message in the name of the person', () => {
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
  ])('that begins with %s is by Codex', (beginning) => {
    expect(isInjected(message(`  ${beginning} …`))).toBe(true)
    expect(isInjected(message(`${beginning} …`, 'and what I want'))).toBe(false)
  })

  it('is by the person where it says nothing else, or where Codex says so', () => {
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
