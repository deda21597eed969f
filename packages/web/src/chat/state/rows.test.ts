import { describe, expect, it } from 'vitest'
import { chunk, done, failed, message, metadata, RUN, wholeRun } from '../chat.test-kit.ts'
import { type AnswerRow, type ChatRow, type Pending, rowsOf } from './rows.ts'
import { withEvents } from './run-view.ts'

const pending: Pending = { message: 'Why?', files: [], runtime: 'jarvis', replaces: null, ts: 5 }
const answers = (rows: readonly ChatRow[]) => rows.filter((row): row is AnswerRow => row.kind === 'answer')
const said = (rows: readonly ChatRow[]) => rows.map(({ kind, message: { content } }) => [kind, content])

describe('rows', () => {
  it('are there at once for what was typed, before the server said anything', () => {
    const rows = rowsOf([message('u0', 'user'), message('a0', 'assistant')], null, pending)
    expect(said(rows)).toEqual([
      ['user', 'u0'],
      ['answer', 'a0'],
      ['user', 'Why?'],
      ['answer', ''],
    ])
    expect(answers(rows).map(({ isRunning }) => isRunning)).toEqual([false, true])
  })

  it('show nothing twice while what is told is also stored', () => {
    const run = withEvents(null, [metadata(1), chunk(2, 'Beca')])
    const none = rowsOf([], run, pending)
    const both = rowsOf(
      [message('u1', 'user'), message('a1', 'assistant', { status: 'partial', run_id: RUN, content: 'B' })],
      run,
      pending,
    )
    expect(said(none)).toEqual([
      ['user', 'Why?'],
      ['answer', 'Beca'],
    ])
    expect(said(both)).toEqual([
      ['user', 'u1'],
      ['answer', 'Beca'],
    ])
    expect(both.map(({ key }) => key)).toEqual(none.map(({ key }) => key))
  })

  it('show what is stored once a run is over and stored', () => {
    const run = withEvents(null, wholeRun())
    const stored = message('a1', 'assistant', { content: 'First second.', run_id: RUN, cost_micro_usd: 7 })
    const [row] = answers(rowsOf([message('u1', 'user'), stored], run, null))
    expect(row?.message).toBe(stored)
    expect(row?.isRunning).toBe(false)
    expect(row?.run).toBe(run)
  })

  it('keep a partial answer and mark it', () => {
    const stopped = withEvents(null, [metadata(1), chunk(2, 'Half'), done(3, 'cancelled')])
    expect(answers(rowsOf([], stopped, pending))[0]?.message).toMatchObject({
      content: 'Half',
      status: 'cancelled',
    })
    const broken = withEvents(null, [metadata(1), chunk(2, 'Half'), failed(3)])
    expect(answers(rowsOf([], broken, pending))[0]?.message).toMatchObject({
      status: 'partial',
      error: { code: 'died', message: 'It broke off.' },
    })
    const silent = withEvents(null, [metadata(1), failed(2)])
    expect(answers(rowsOf([], silent, pending))[0]?.message.status).toBe('failed')
  })

  it('drop what an edited message took the place of', () => {
    const stored = [
      message('u0', 'user'),
      message('a0', 'assistant'),
      message('u1', 'user'),
      message('a1', 'assistant'),
    ]
    const rows = rowsOf(stored, null, { ...pending, replaces: 'u1' })
    expect(said(rows)).toEqual([
      ['user', 'u0'],
      ['answer', 'a0'],
      ['user', 'Why?'],
      ['answer', ''],
    ])
  })

  it('say how much another runtime was given, and only of the last that nothing follows', () => {
    const rows = answers(
      rowsOf(
        [
          message('u0', 'user'),
          message('a0', 'assistant'),
          message('u1', 'user'),
          message('a1', 'assistant', { runtime: 'hermes' }),
          message('u2', 'user'),
          message('a2', 'assistant'),
        ],
        null,
        null,
      ),
    )
    expect(rows.map(({ given }) => given)).toEqual([null, 2, 2])
    expect(rows.map(({ isLast }) => isLast)).toEqual([false, false, true])
    expect(rows.map(({ to }) => to)).toEqual(['u0', 'u1', 'u2'])
  })

  it('are the same objects where nothing changed, so that nothing is drawn anew', () => {
    const known = new Map<string, ChatRow>()
    const stored = [message('u0', 'user'), message('a0', 'assistant')]
    const before = rowsOf(stored, null, pending, known)
    const run = withEvents(null, [metadata(1), chunk(2, 'x')])
    const after = rowsOf(stored, run, pending, known)
    expect(after[0]).toBe(before[0])
    expect(after[1]).toBe(before[1])
    expect(after[3]).not.toBe(before[3])
  })
})
