import type { ContentBlock } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { agent, call, message, placed, result, text } from './messages.test-kit.ts'
import { buildThreads, callDuration, type Part } from './thread.ts'
import { foldRuns, groupTurns } from './turns.ts'

const image: ContentBlock = { type: 'image', media_type: 'image/png', data: 'AA==' }
const callIn = (parts: readonly Part[] | undefined) => {
  const found = parts?.find((part) => part.kind === 'call')
  if (found?.kind !== 'call') throw new Error('no call is there')
  return found
}

describe('a transcript', () => {
  it('shows results and their images with the calls they answer', () => {
    const { main, shownAt } = buildThreads(
      placed([message('assistant', [call('c')]), message('user', [result('c'), image], { ts: 1_084 })]),
      [agent('main', null, null)],
    )
    expect(main.entries.map((entry) => entry.n)).toEqual([0])
    const found = callIn(main.entries[0]?.parts)
    expect(found.result).toMatchObject({ n: 1, at: 0, block: { text: 'r' } })
    expect(found.pictures).toEqual([{ block: image, n: 1, at: 1 }])
    expect(callDuration(found)).toBe(84)
    expect(shownAt.get(1)).toEqual({ n: 0, agent: 'main' })
  })

  it('keeps results without a call', () => {
    const { main } = buildThreads(placed([message('user', [result('gone')])]), [])
    expect(main.entries[0]?.parts).toEqual([{ kind: 'block', block: result('gone'), n: 0, at: 0 }])
  })

  it('nests agents under the calls that created them, even if they are not loaded', () => {
    const { main, threads } = buildThreads(
      placed([message('assistant', [call('c1')]), message('assistant', [call('c2')], { agent_id: 'a' })]),
      [agent('main', null, null), agent('a', 'c1'), agent('b', 'c2', 'a')],
    )
    expect(callIn(main.entries[0]?.parts).made.map((made) => made.agent.id)).toEqual(['a'])
    expect(callIn(threads.get('a')?.entries[0]?.parts).made.map((made) => made.agent.id)).toEqual(['b'])
  })

  it('keeps agents without a known call and breaks cycles', () => {
    const { loose } = buildThreads(
      placed([
        message('assistant', [call('ca')], { agent_id: 'a' }),
        message('assistant', [call('cb')], { agent_id: 'b' }),
        message('assistant', [text('stray')], { agent_id: 'c' }),
      ]),
      [agent('a', 'cb', 'b'), agent('b', 'ca', 'a'), agent('unread', 'x')],
    )
    expect(loose.map((thread) => thread.agent.id)).toEqual(['b', 'c'])
  })
})

describe('the turns of a transcript', () => {
  const shownOf = (messages: Parameters<typeof placed>[0], keep: number | null = null) => {
    const { main } = buildThreads(placed(messages), [])
    return groupTurns(main.entries).map((turn) =>
      foldRuns(turn, keep).map((piece) =>
        piece.kind === 'run' ? `${piece.pieces.length} more` : piece.part.block.type,
      ),
    )
  }
  const called = (id: string, ok = true, input: unknown = {}) => [
    message('assistant', [call(id, input)]),
    message('tool', [result(id, ok)]),
  ]

  it('combine consecutive replies until someone else speaks', () => {
    expect(
      shownOf([
        message('user', [text('do')]),
        message('assistant', [text('well')]),
        ...called('a'),
        message('assistant', [text('done')]),
        message('user', [text('more')]),
        message('assistant', [text('yes')], { model: 'another' }),
        message('assistant', [text('yes')]),
      ]),
    ).toEqual([['text'], ['text', 'tool_call', 'text'], ['text'], ['text'], ['text']])
  })

  it('fold long rows of calls behind the first one', () => {
    const many = Array.from({ length: 10 }, (_, i) => called(`c${i}`)).flat()
    expect(shownOf(many)).toEqual([['tool_call', '9 more']])
    expect(shownOf(many.slice(0, 6))).toEqual([['tool_call', 'tool_call', 'tool_call']])
    expect(shownOf([...many.slice(0, 8), message('assistant', [text('so')]), ...many.slice(8)])).toEqual([
      ['tool_call', '3 more', 'text', 'tool_call', '5 more'],
    ])
  })

  it('fold thoughts between calls but not those before or after', () => {
    const think = message('assistant', [{ type: 'reasoning', text: 'hm' }])
    const row = Array.from({ length: 5 }, (_, i) => [think, ...called(`c${i}`)]).flat()
    expect(shownOf([...row, think])).toEqual([['reasoning', 'tool_call', '8 more', 'reasoning']])
    expect(shownOf(row.slice(0, 9))).toEqual([
      ['reasoning', 'tool_call', 'reasoning', 'tool_call', 'reasoning', 'tool_call'],
    ])
  })

  it('never fold calls that failed, edit files or are named in the address', () => {
    const row = (special: ReturnType<typeof called>) => [
      ...Array.from({ length: 4 }, (_, i) => called(`a${i}`)).flat(),
      ...special,
      ...Array.from({ length: 4 }, (_, i) => called(`b${i}`)).flat(),
    ]
    const apart = [['tool_call', '3 more', 'tool_call', 'tool_call', '3 more']]
    expect(shownOf(row(called('x', false)))).toEqual(apart)
    expect(shownOf(row(called('x', true, { file_path: 'a', old_string: 'b', new_string: 'c' })))).toEqual(
      apart,
    )
    expect(shownOf(row(called('x')), 8)).toEqual(apart)
    expect(shownOf(row(called('x')))).toEqual([['tool_call', '8 more']])
  })
})
