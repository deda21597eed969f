import { describe, expect, it } from 'vitest'
import { ReplyAssembler } from './reply-assembler.ts'

const gathered = (...deltas: readonly Record<string, unknown>[]) => {
  const all = new ReplyAssembler()
  for (const delta of deltas) all.add({ choices: [{ index: 0, delta, finish_reason: null }] })
  return all
}
const calls = (...pieces: readonly unknown[]) =>
  gathered(...pieces.map((piece) => ({ tool_calls: [piece] }))).reply().message.tool_calls

describe('reply assembler', () => {
  it('returns the first of several answers', () => {
    const all = new ReplyAssembler()
    all.add({
      choices: [
        { index: 1, delta: { content: 'other' }, finish_reason: 'length' },
        { index: 0, delta: { content: 'this' }, finish_reason: null },
      ],
    })
    all.add({ choices: [{ index: 1, delta: { content: ' one' }, finish_reason: null }] })
    expect(all.reply()).toMatchObject({ text: 'this', finish_reason: null })
  })

  it('keeps a thought once if it is sent in two fields', () => {
    const piece = { reasoning: 'hm', reasoning_content: 'hm' }
    expect(gathered(piece, piece).reply().message.reasoning_content).toBe('hmhm')
  })

  it('merges a list that arrives in pieces', () => {
    const { message } = gathered({ annotations: [1] }, { annotations: [2] }, { refusal: 'no' }).reply()
    expect(message).toMatchObject({ annotations: [1, 2], refusal: 'no' })
  })

  it('separates calls that all have the same index', () => {
    const one = { index: 0, id: 'a', function: { name: 'x', arguments: '{}' } }
    const other = { index: 0, id: 'b', function: { name: 'y', arguments: '{}' } }
    expect(calls(one, other)).toMatchObject([{ id: 'a' }, { id: 'b' }])
  })

  it('accepts arguments that are not text and skips anything that is not a call', () => {
    expect(calls(null, 7, { id: 'a', function: { name: 'x', arguments: { deep: [1] } } })).toMatchObject([
      { id: 'a', function: { arguments: '{"deep":[1]}' } },
    ])
  })

  it('handles a call with a huge index quickly', () => {
    const began = performance.now()
    expect(calls({ index: 4_000_000_000, id: 'a', function: { name: 'x' } })).toHaveLength(1)
    expect(performance.now() - began).toBeLessThan(1_000)
  })

  it('is bounded, however small the pieces are', () => {
    const all = gathered()
    const piece = { choices: [{ index: 0, delta: { tool_calls: [{ index: 0 }] }, finish_reason: null }] }
    for (let n = 0; n < 300_000; n += 1) all.add(piece)
    expect(all.isTooLarge()).toBe(true)
  })
})

describe('call deltas without an index', () => {
  const name = (called: string) => ({ function: { name: called, arguments: '' } })
  const given = (text: string, more: object = {}) => ({ ...more, function: { arguments: text } })

  it('continue the last call if they have no id either', () => {
    expect(calls(name('x'), given('{"a"'), given(':1}'))).toMatchObject([
      { function: { name: 'x', arguments: '{"a":1}' } },
    ])
    expect(calls(name('x'), given('{}'), name('x'), given('{"b":'), given('2}'))).toMatchObject([
      { function: { name: 'x', arguments: '{}' } },
      { function: { name: 'x', arguments: '{"b":2}' } },
    ])
  })

  it('form one call if each repeats its name', () => {
    const piece = (text: string) => ({ function: { name: 'x', arguments: text } })
    expect(calls(piece('{"a"'), piece(':1'), piece('}'), piece('{}'))).toMatchObject([
      { function: { name: 'x', arguments: '{"a":1}' } },
      { function: { name: 'x', arguments: '{}' } },
    ])
  })

  it('belong to the call with their id, in any order', () => {
    const pieces = [
      { id: 'a', ...name('x') },
      { id: 'b', ...name('y') },
      given('{"a":', { id: 'a' }),
      given('{"b":', { id: 'b' }),
      given('1}', { id: 'a' }),
      given('2}', { id: 'b' }),
    ]
    expect(calls(...pieces)).toMatchObject([
      { id: 'a', function: { name: 'x', arguments: '{"a":1}' } },
      { id: 'b', function: { name: 'y', arguments: '{"b":2}' } },
    ])
  })

  it('belong to the last call if all have index 0', () => {
    expect(
      calls(
        { index: 0, id: 'a', ...name('x') },
        { index: 0, ...given('{}') },
        { index: 0, id: 'b', ...name('y') },
        {
          index: 0,
          ...given('[1]'),
        },
      ),
    ).toMatchObject([
      { id: 'a', function: { arguments: '{}' } },
      { id: 'b', function: { arguments: '[1]' } },
    ])
  })

  it('are merged in linear time', () => {
    const began = performance.now()
    const all = gathered()
    const piece = {
      choices: [
        {
          index: 0,
          delta: { tool_calls: [{ function: { name: 'x', arguments: '1' } }] },
          finish_reason: null,
        },
      ],
    }
    for (let n = 0; n < 200_000; n += 1) all.add(piece)
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(all.reply().message.tool_calls).toHaveLength(1)
  })
})
