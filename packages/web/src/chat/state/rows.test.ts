import { describe, expect, it } from 'vitest'
import { chunk, done, failed, message, metadata, RUN, wholeRun } from '../chat.test-kit.ts'
import { type AnswerRow, buildRows, type ChatRow, type PendingMessage } from './rows.ts'
import { addEvents } from './run-view.ts'

const pending: PendingMessage = { message: 'Why?', files: [], runtime: 'jarvis', replaces: null, ts: 5 }
const answers = (rows: readonly ChatRow[]) => rows.filter((row): row is AnswerRow => row.kind === 'answer')
const said = (rows: readonly ChatRow[]) => rows.map(({ kind, message: { content } }) => [kind, content])

describe('conversation rows', () => {
  it('contain the pending message before the server responds', () => {
    const rows = buildRows([message('u0', 'user'), message('a0', 'assistant')], null, pending)
    expect(said(rows)).toEqual([
      ['user', 'u0'],
      ['answer', 'a0'],
      ['user', 'Why?'],
      ['answer', ''],
    ])
    expect(answers(rows).map(({ isRunning }) => isRunning)).toEqual([false, true])
  })

  it('contain each message once while a stream and the store both have it', () => {
    const run = addEvents(null, [metadata(1), chunk(2, 'Beca')])
    const none = buildRows([], run, pending)
    const both = buildRows(
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

  it('use the stored message once the run is over', () => {
    const run = addEvents(null, wholeRun())
    const stored = message('a1', 'assistant', { content: 'First second.', run_id: RUN, cost_micro_usd: 7 })
    const [row] = answers(buildRows([message('u1', 'user'), stored], run, null))
    expect(row?.message).toBe(stored)
    expect(row?.isRunning).toBe(false)
    expect(row?.run).toBe(run)
  })

  it('keep a partial answer with its status', () => {
    const stopped = addEvents(null, [metadata(1), chunk(2, 'Half'), done(3, 'cancelled')])
    expect(answers(buildRows([], stopped, pending))[0]?.message).toMatchObject({
      content: 'Half',
      status: 'cancelled',
    })
    const broken = addEvents(null, [metadata(1), chunk(2, 'Half'), failed(3)])
    expect(answers(buildRows([], broken, pending))[0]?.message).toMatchObject({
      status: 'partial',
      error: { code: 'died', message: 'It broke off.' },
    })
    const silent = addEvents(null, [metadata(1), failed(2)])
    expect(answers(buildRows([], silent, pending))[0]?.message.status).toBe('failed')
  })

  it('leave out messages that an edited message replaces', () => {
    const stored = [
      message('u0', 'user'),
      message('a0', 'assistant'),
      message('u1', 'user'),
      message('a1', 'assistant'),
    ]
    const rows = buildRows(stored, null, { ...pending, replaces: 'u1' })
    expect(said(rows)).toEqual([
      ['user', 'u0'],
      ['answer', 'a0'],
      ['user', 'Why?'],
      ['answer', ''],
    ])
  })

  it('count the messages handed to another runtime and mark only the last answer as last', () => {
    const rows = answers(
      buildRows(
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
    expect(rows.map(({ handoverCount: given }) => given)).toEqual([null, 2, 2])
    expect(rows.map(({ isLast }) => isLast)).toEqual([false, false, true])
    expect(rows.map(({ to }) => to)).toEqual(['u0', 'u1', 'u2'])
  })

  it('reuse unchanged row objects', () => {
    const known = new Map<string, ChatRow>()
    const stored = [message('u0', 'user'), message('a0', 'assistant')]
    const before = buildRows(stored, null, pending, known)
    const run = addEvents(null, [metadata(1), chunk(2, 'x')])
    const after = buildRows(stored, run, pending, known)
    expect(after[0]).toBe(before[0])
    expect(after[1]).toBe(before[1])
    expect(after[3]).not.toBe(before[3])
  })
})
